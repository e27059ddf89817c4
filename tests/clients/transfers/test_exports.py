"""What is exported can be imported and is the same table; manifests and lines are as the service writes them."""

import datetime
import gzip
import json
import time

import pytest
from conftest import comparable, item


def lines(world, text):
    """The lines of all data files below some part of a key."""
    found = [path for key, path in world.objects().items() if text in key and key.endswith(".gz")]
    return [json.loads(one) for path in found for one in gzip.decompress(path.read_bytes()).splitlines()]


def test_an_export_can_be_imported_and_is_the_same_table(world):
    arn = world.make("source", range(700), with_index=True)
    done = world.export(arn, S3Prefix="out")
    assert done["ExportStatus"] == "COMPLETED", done
    assert (done["ItemCount"], done["ExportType"], done["ExportFormat"]) == (700, "FULL_EXPORT", "DYNAMODB_JSON")
    assert done["BilledSizeBytes"] > 0 and done["EndTime"] >= done["StartTime"]
    export_id = done["ExportArn"].rsplit("/", 1)[1]
    assert done["ExportManifest"] == f"out/AWSDynamoDB/{export_id}/manifest-summary.json"
    objects = world.objects()
    summary = json.loads(objects[done["ExportManifest"]].read_text())
    assert (summary["itemCount"], summary["exportArn"]) == (700, done["ExportArn"])
    files = [json.loads(one) for one in objects[summary["manifestFilesS3Key"]].read_text().splitlines()]
    assert sum(one["itemCount"] for one in files) == 700
    assert all(one["dataFileS3Key"] in objects for one in files)

    imported = world.import_table("copy", prefix="out/", with_index=True, InputCompressionType="GZIP")
    assert imported["ImportStatus"] == "COMPLETED", imported
    counts = ("ProcessedItemCount", "ImportedItemCount", "ErrorCount")
    assert [imported[name] for name in counts] == [700, 700, 0]
    assert world.scan("copy") == world.scan("source")
    assert world.scan("copy", IndexName="by_city") == world.scan("source", IndexName="by_city")
    described = world.client.describe_table(TableName="copy")["Table"]
    assert (described["TableStatus"], described["ItemCount"]) == ("ACTIVE", 700)
    assert described["GlobalSecondaryIndexes"][0]["ItemCount"] == 700


def test_ion_comes_back_as_it_was(world):
    arn = world.make("source", range(40))
    done = world.export(arn, ExportFormat="ION")
    assert done["ExportStatus"] == "COMPLETED", done
    imported = world.import_table("copy", prefix="AWSDynamoDB/", InputFormat="ION", InputCompressionType="GZIP")
    assert (imported["ImportStatus"], imported["ImportedItemCount"]) == ("COMPLETED", 40), imported
    assert world.scan("copy") == world.scan("source")


def test_an_export_is_of_its_time(world):
    arn = world.make("source", range(5))
    time.sleep(1.1)
    at = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    time.sleep(1.1)
    world.client.delete_item(TableName="source", Key={"pk": {"S": "p1"}, "sk": {"N": "1"}})
    world.put("source", [item(99)])
    done = world.export(arn, ExportTime=at)
    assert (done["ItemCount"], done["ExportTime"]) == (5, at)
    found = lines(world, "AWSDynamoDB")
    assert sorted(int(one["Item"]["sk"]["N"]) for one in found) == [0, 1, 2, 3, 4]


def test_an_incremental_export_tells_both_ends_of_each_change(world):
    arn = world.make("source", range(5))
    time.sleep(1.1)
    start = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    time.sleep(1.1)
    world.client.delete_item(TableName="source", Key={"pk": {"S": "p1"}, "sk": {"N": "1"}})
    world.put("source", [item(99)])
    time.sleep(1.1)
    asked = {"ExportType": "INCREMENTAL_EXPORT",
             "IncrementalExportSpecification": {"ExportFromTime": start, "ExportViewType": "NEW_AND_OLD_IMAGES"}}
    done = world.export(arn, **asked)
    assert (done["ExportStatus"], done["ItemCount"]) == ("COMPLETED", 2), done
    assert done["ExportType"] == "INCREMENTAL_EXPORT"
    found = {one["Keys"]["sk"]["N"]: one for one in lines(world, "AWSDynamoDB/data/")}
    assert set(found) == {"1", "99"}
    assert "NewImage" not in found["1"] and found["1"]["OldImage"]["city"] == {"S": "c1"}
    assert "OldImage" not in found["99"] and found["99"]["NewImage"]["city"] == {"S": "c4"}
    micros = int(found["99"]["Metadata"]["WriteTimestampMicros"]["N"])
    assert abs(micros / 1e6 - time.time()) < 60
    summary = json.loads(world.objects()[done["ExportManifest"]].read_text())
    assert (summary["exportType"], summary["outputView"]) == ("INCREMENTAL_EXPORT", "NEW_AND_OLD_IMAGES")


def test_a_filter_chooses_items_and_attributes(world):
    arn = world.make("source", range(20))
    done = world.export(arn, FilterSpecification={
        "FilterExpression": "#c = :c", "ProjectionExpression": "pk, sk, #c",
        "ExpressionAttributeNames": {"#c": "city"}, "ExpressionAttributeValues": {":c": {"S": "c2"}}})
    assert done["FilterSpecification"]["FilterExpression"] == "#c = :c"
    found = lines(world, "AWSDynamoDB")
    assert sorted(int(one["Item"]["sk"]["N"]) for one in found) == [2, 7, 12, 17]
    assert all(set(one["Item"]) == {"pk", "sk", "city"} for one in found)


def test_what_cannot_be_exported_is_refused(world):
    client = world.client
    missing = "arn:aws:dynamodb:us-east-1:000000000000:table/missing"
    with pytest.raises(client.exceptions.TableNotFoundException):
        client.export_table_to_point_in_time(TableArn=missing, S3Bucket="files")
    arn = world.make("source", range(3))
    client.update_continuous_backups(
        TableName="source", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": False})
    with pytest.raises(client.exceptions.PointInTimeRecoveryUnavailableException):
        client.export_table_to_point_in_time(TableArn=arn, S3Bucket="files")
    arn = world.make("other", range(3))
    with pytest.raises(client.exceptions.InvalidExportTimeException):
        client.export_table_to_point_in_time(
            TableArn=arn, S3Bucket="files", ExportTime=datetime.datetime(2020, 1, 1))
    first = client.export_table_to_point_in_time(TableArn=arn, S3Bucket="files", ClientToken="t")
    again = client.export_table_to_point_in_time(TableArn=arn, S3Bucket="files", ClientToken="t")
    assert first["ExportDescription"]["ExportArn"] == again["ExportDescription"]["ExportArn"]
    with pytest.raises(client.exceptions.ExportConflictException):
        client.export_table_to_point_in_time(TableArn=arn, S3Bucket="others", ClientToken="t")
    with pytest.raises(client.exceptions.ExportNotFoundException):
        client.describe_export(ExportArn=f"{arn}/export/01695353076000-a1e9a8d1")


def test_exports_are_listed_in_pages(world):
    arn = world.make("source", range(3))
    other = world.make("other", range(3))
    arns = [world.export(one)["ExportArn"] for one in (arn, other, arn)]
    listed, token = [], None
    while True:
        more = {"NextToken": token} if token else {}
        page = world.client.list_exports(MaxResults=2, **more)
        listed += [one["ExportArn"] for one in page["ExportSummaries"]]
        token = page.get("NextToken")
        if not token:
            break
    assert listed == sorted(arns, reverse=True)
    of_one = world.client.list_exports(TableArn=other)["ExportSummaries"]
    assert [one["ExportArn"] for one in of_one] == [arns[1]]
    assert of_one[0]["ExportStatus"] == "COMPLETED" and of_one[0]["ExportType"] == "FULL_EXPORT"


def test_items_of_every_type_survive(world):
    arn = world.make("source", [3])
    world.export(arn)
    world.import_table("copy", prefix="AWSDynamoDB/", InputCompressionType="GZIP")
    (found,) = world.scan("copy").values()
    assert found == comparable(item(3))
