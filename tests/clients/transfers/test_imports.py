"""Imports in every format and compression, with rows that do not fit; and bulk operations."""

import gzip
import json

import pytest
import zstandard
from conftest import definition, ended, line

COUNTS = ("ProcessedItemCount", "ImportedItemCount", "ErrorCount")
ONLY_NEW = {"ConditionExpression": "attribute_not_exists(pk)"}


def counts(described):
    return [described[name] for name in COUNTS]


@pytest.mark.parametrize("compression, pack", [
    ("NONE", bytes), ("GZIP", gzip.compress), ("ZSTD", zstandard.ZstdCompressor().compress)])
def test_objects_may_be_compressed(world, compression, pack):
    bucket = world.bucket()
    for part in range(3):
        text = "".join(line(number) for number in range(part * 100, part * 100 + 100))
        (bucket / f"in{part}.json").write_bytes(pack(text.encode()))
    done = world.import_table("people", prefix="in", InputCompressionType=compression)
    assert (done["ImportStatus"], counts(done)) == ("COMPLETED", [300, 300, 0]), done
    assert done["InputCompressionType"] == compression and done["ProcessedSizeBytes"] > 0
    assert done["CloudWatchLogGroupArn"] and done["ImportArn"].startswith(done["TableArn"] + "/import/")
    assert len(world.scan("people")) == 300


def test_rows_of_texts(world):
    (world.bucket() / "people.csv").write_text('pk;sk;city\na;1;"x;y"\nb;2.50;\nc;no number;z\n')
    done = world.import_table("people", InputFormat="CSV", InputFormatOptions={"Csv": {"Delimiter": ";"}})
    assert (done["ImportStatus"], done["FailureCode"], counts(done)) == ("FAILED", "ItemValidationError", [3, 2, 1]), done
    found = world.scan("people")
    assert found["a", 1]["city"] == {"S": "x;y"}
    assert sorted(one["sk"]["N"] for one in found.values()) == ["1", "2.5"]
    (world.bucket("bare") / "people.csv").write_text("a,1\nb,2\n")
    done = world.import_table("bare", S3BucketSource={"S3Bucket": "bare"}, InputFormat="CSV",
                              InputFormatOptions={"Csv": {"HeaderList": ["pk", "sk"]}})
    assert counts(done) == [2, 2, 0]


def test_rows_that_do_not_fit_are_counted(world):
    text = line(1) + "not JSON\n" + '{"Item":{"pk":{"S":"x"}}}\n' + '{"Item":{"pk":{"N":"1"},"sk":{"N":"1"}}}\n' + line(2)
    (world.bucket() / "in.json").write_text(text)
    done = world.import_table("people")
    assert (done["ImportStatus"], done["FailureCode"], counts(done)) == ("FAILED", "ItemValidationError", [5, 2, 3]), done
    assert len(world.scan("people")) == 2


def test_a_bucket_that_is_not_there_fails_the_import_and_an_empty_one_does_not(world):
    done = world.import_table("people", S3BucketSource={"S3Bucket": "missing"})
    assert (done["ImportStatus"], done["FailureCode"]) == ("FAILED", "S3NoSuchBucket"), done
    assert done["FailureMessage"]
    assert "people" not in world.client.list_tables()["TableNames"]
    world.bucket()
    done = world.import_table("others", prefix="nothing/")
    assert (done["ImportStatus"], counts(done)) == ("COMPLETED", [0, 0, 0]), done
    assert world.scan("others") == {}


def test_imports_are_refused_and_listed(world):
    client = world.client
    (world.bucket() / "in.json").write_text(line(1))
    asked = {"S3BucketSource": {"S3Bucket": "files"}, "InputFormat": "DYNAMODB_JSON",
             "TableCreationParameters": definition("people")}
    first = client.import_table(**asked, ClientToken="t")["ImportTableDescription"]
    assert first["ImportStatus"] == "IN_PROGRESS"
    again = client.import_table(**asked, ClientToken="t")["ImportTableDescription"]
    assert again["ImportArn"] == first["ImportArn"]
    with pytest.raises(client.exceptions.ImportConflictException):
        client.import_table(**(asked | {"InputFormat": "ION"}), ClientToken="t")
    with pytest.raises(client.exceptions.ResourceInUseException):
        client.import_table(**asked)
    with pytest.raises(client.exceptions.ImportNotFoundException):
        client.describe_import(ImportArn=f"{first['TableArn']}/import/01695353076000-a1e9a8d1")
    world.imported(first["ImportArn"])
    for name in ("more1", "more2"):
        world.import_table(name)
    listed, token = [], None
    while True:
        more = {"NextToken": token} if token else {}
        page = client.list_imports(PageSize=1, **more)
        listed += [one["TableArn"].rsplit("/", 1)[1] for one in page["ImportSummaryList"]]
        token = page.get("NextToken")
        if not token:
            break
    assert listed == ["more2", "more1", "people"]
    assert len(client.list_imports(TableArn=first["TableArn"])["ImportSummaryList"]) == 1


def test_a_bulk_operation_puts_and_reports(world):
    world.make("people", [])
    world.put("people", [json.loads(line(5))["Item"] | {"city": {"S": "old"}}])
    text = line(1) + line(5, **ONLY_NEW) + line(6, **ONLY_NEW) + "not JSON\n" + '{"Item":{"pk":{"S":"x"}}}\n'
    (world.bucket() / "in.json").write_text(text)
    done = world.bulk("people", "in")
    assert done["BulkOperationStatus"] == "COMPLETED_WITH_ERRORS", done
    assert (done["ProcessedItemCount"], done["FailedItemCount"]) == (5, 2)
    assert done["TotalInputBytes"] == done["ProcessedInputBytes"] == len(text)
    assert done["BulkOperationUsage"][0]["Table"]["BulkPutBytes"] > 0
    found = world.scan("people")
    assert sorted(int(number) for _, number in found) == [1, 5, 6]
    assert found["p5", 5]["city"] == {"S": "old"}
    reports = {key: path for key, path in world.objects("reports").items() if key.endswith(".gz")}
    told = {key.split("/")[-2]: [json.loads(one) for one in gzip.decompress(path.read_bytes()).splitlines()]
            for key, path in reports.items()}
    assert sorted(one["LineNumber"] for one in told["ERROR"]) == [4, 5]
    (failure,) = told["CONDITION_CHECK_FAILURE"]
    assert (failure["LineNumber"], failure["ExistingItem"]["city"]) == (2, {"S": "old"})
    listed = world.client.list_bulk_operations()["BulkOperationsSummaryList"]
    assert [one["BulkOperationArn"] for one in listed] == [done["BulkOperationArn"]]


def test_a_bulk_operation_can_be_cancelled(world):
    world.make("people", [])
    # A thousand items a second take longer than a cancellation.
    (world.bucket() / "in.json").write_text("".join(line(number) for number in range(20_000)))
    arn = world.start_bulk("people", "in", MaxWriteRequestUnits=1024)["BulkOperationArn"]
    answer = world.client.cancel_bulk_operation(BulkOperationArn=arn)
    assert answer["BulkOperationStatus"] == "CANCELLING"
    done = ended(lambda: world.describe_bulk(arn), "BulkOperationStatus")
    assert (done["BulkOperationStatus"], done["FailureCode"]) == ("CANCELLED", "UserCancelled"), done
    assert len(world.scan("people")) == done["ProcessedItemCount"] < 20_000
    with pytest.raises(world.client.exceptions.ResourceNotFoundException):
        world.client.cancel_bulk_operation(BulkOperationArn=f"{arn}0")
