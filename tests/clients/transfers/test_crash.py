"""kill -9 in the middle of a job: after the next start it ends as if nothing had happened, and nothing is counted twice."""

import time

from conftest import definition, ended, line

ITEMS = 30_000
ONLY_NEW = {"ConditionExpression": "attribute_not_exists(pk)"}


def fill(world, **more):
    for part in range(3):
        numbers = range(part * ITEMS // 3, (part + 1) * ITEMS // 3)
        (world.bucket() / f"in{part}.json").write_text("".join(line(number, **more) for number in numbers))


def kill_in_the_middle(world, describe, times=3):
    """Kills the server a few times, each time after the job has come further."""
    seen = 0
    for _ in range(times):
        deadline = time.monotonic() + 60
        while True:
            count = describe().get("ProcessedItemCount", 0)
            if count > seen or time.monotonic() > deadline:
                break
        assert count > seen, "the job does not go on"
        seen = count
        world.server.kill()
        world.start()
    assert seen < ITEMS, "the job was too quick for this test"


def test_an_import_goes_on(world):
    fill(world)
    asked = {"S3BucketSource": {"S3Bucket": "files"}, "InputFormat": "DYNAMODB_JSON"}
    arn = world.client.import_table(
        **asked, TableCreationParameters=definition("people", True))["ImportTableDescription"]["ImportArn"]
    kill_in_the_middle(world, lambda: world.client.describe_import(ImportArn=arn)["ImportTableDescription"])
    done = world.imported(arn)
    counts = ("ProcessedItemCount", "ImportedItemCount", "ErrorCount")
    assert [done[name] for name in counts] == [ITEMS, ITEMS, 0], done
    assert len(world.scan("people")) == ITEMS
    assert len(world.scan("people", IndexName="by_city")) == ITEMS


def test_a_polite_stop_waits_for_no_job(world):
    fill(world)
    asked = {"S3BucketSource": {"S3Bucket": "files"}, "InputFormat": "DYNAMODB_JSON"}
    arn = world.client.import_table(
        **asked, TableCreationParameters=definition("people"))["ImportTableDescription"]["ImportArn"]
    began = time.monotonic()
    assert world.server.stop() == 0, world.server.log()
    assert time.monotonic() - began < 5
    world.start()
    assert world.client.describe_table(TableName="people")["Table"]["TableStatus"] == "CREATING"
    assert world.imported(arn)["ImportedItemCount"] == ITEMS
    assert len(world.scan("people")) == ITEMS


def test_a_bulk_operation_goes_on_and_no_item_meets_itself(world):
    world.make("people", [])
    fill(world, **ONLY_NEW)
    arn = world.start_bulk("people", "in")["BulkOperationArn"]
    kill_in_the_middle(world, lambda: world.describe_bulk(arn))
    done = ended(lambda: world.describe_bulk(arn), "BulkOperationStatus")
    assert (done["BulkOperationStatus"], done["ProcessedItemCount"]) == ("COMPLETED", ITEMS), done
    assert len(world.scan("people")) == ITEMS
    assert not [key for key in world.objects("reports") if key.endswith(".gz")]


def test_an_export_begins_again(world):
    fill(world)
    world.import_table("people", prefix="in")
    client = world.client
    client.update_continuous_backups(
        TableName="people", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    source = client.describe_table(TableName="people")["Table"]["TableArn"]
    arn = client.export_table_to_point_in_time(
        TableArn=source, S3Bucket="files", S3Prefix="out")["ExportDescription"]["ExportArn"]
    for pause in (0.0, 0.3):
        time.sleep(pause)
        world.server.kill()
        world.start()
    world.client.delete_item(TableName="people", Key={"pk": {"S": "p1"}, "sk": {"N": "1"}})
    done = world.exported(arn)
    assert (done["ExportStatus"], done["ItemCount"]) == ("COMPLETED", ITEMS), done
    imported = world.import_table("copy", prefix="out/", InputCompressionType="GZIP")
    assert imported["ImportedItemCount"] == ITEMS
    assert len(world.scan("copy")) == ITEMS
