"""Recovery to a point in time, backups and restores with boto3."""

import time
from datetime import timedelta

import pytest
from botocore.exceptions import ClientError
from conftest import index, schema, string_keys

WAIT_SECONDS = 60


def kept(make, name, **more):
    return make(
        TableName=name,
        AttributeDefinitions=string_keys("pk", "shelf"),
        KeySchema=schema("pk"),
        GlobalSecondaryIndexes=[index("by_shelf", schema("shelf"))],
        BillingMode="PAY_PER_REQUEST",
        **more,
    )


def put(client, table, numbers, shelf="north"):
    for number in numbers:
        item = {"pk": {"S": f"{number:03}"}, "shelf": {"S": shelf}, "set": {"NS": ["1", "2"]}, "bytes": {"B": b"\x00\xff"}}
        client.put_item(TableName=table, Item=item)


def items(client, table, **more):
    pages = client.get_paginator("scan").paginate(TableName=table, ConsistentRead="IndexName" not in more, **more)
    found = [item for page in pages for item in page["Items"]]
    return sorted(found, key=lambda item: item["pk"]["S"])


def recover(client, table, **more):
    specification = {"PointInTimeRecoveryEnabled": True, **more}
    answer = client.update_continuous_backups(TableName=table, PointInTimeRecoverySpecification=specification)
    return answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]


def until(ready):
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        found = ready()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("not ready in time")


@pytest.fixture
def restored(client):
    """Waits for tables that are being restored, and removes them after the test."""
    names = []

    def wait(name):
        names.append(name)
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        return client.describe_table(TableName=name)["Table"]

    yield wait
    for name in names:
        client.delete_table(TableName=name)


def refused(call, **request):
    with pytest.raises(ClientError) as caught:
        call(**request)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]


def test_recovery_is_switched_on_and_off(make, client):
    kept(make, "recovered_switch")
    off = client.describe_continuous_backups(TableName="recovered_switch")["ContinuousBackupsDescription"]
    assert off["ContinuousBackupsStatus"] == "ENABLED"
    assert off["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "DISABLED"
    on = recover(client, "recovered_switch")
    assert on["PointInTimeRecoveryStatus"] == "ENABLED" and on["RecoveryPeriodInDays"] == 35
    assert on["EarliestRestorableDateTime"] <= on["LatestRestorableDateTime"]
    assert recover(client, "recovered_switch", RecoveryPeriodInDays=3)["RecoveryPeriodInDays"] == 3
    specification = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 36}
    code, _ = refused(
        client.update_continuous_backups,
        TableName="recovered_switch",
        PointInTimeRecoverySpecification=specification,
    )
    assert code == "ValidationException"
    code, _ = refused(client.describe_continuous_backups, TableName="not_there_at_all")
    assert code == "TableNotFoundException"


def test_a_table_is_restored_to_a_second(make, client, restored):
    kept(make, "recovered_source")
    put(client, "recovered_source", range(30))
    recover(client, "recovered_source")
    put(client, "recovered_source", range(30, 40), "south")
    before = items(client, "recovered_source")
    time.sleep(1.1)
    moment = until(
        lambda: client.describe_continuous_backups(TableName="recovered_source")["ContinuousBackupsDescription"][
            "PointInTimeRecoveryDescription"
        ]["LatestRestorableDateTime"]
    )
    time.sleep(1.1)
    put(client, "recovered_source", range(5), "changed")
    for number in range(20, 25):
        client.delete_item(TableName="recovered_source", Key={"pk": {"S": f"{number:03}"}})
    put(client, "recovered_source", range(100, 110))
    answer = client.restore_table_to_point_in_time(
        SourceTableName="recovered_source", TargetTableName="recovered_then", RestoreDateTime=moment
    )["TableDescription"]
    assert answer["TableStatus"] == "CREATING" and answer["RestoreSummary"]["RestoreInProgress"]
    put(client, "recovered_source", range(200, 210))
    table = restored("recovered_then")
    assert table["ItemCount"] == 40
    assert items(client, "recovered_then") == before
    assert items(client, "recovered_then", IndexName="by_shelf") == before
    client.restore_table_to_point_in_time(
        SourceTableName="recovered_source", TargetTableName="recovered_now", UseLatestRestorableTime=True
    )
    restored("recovered_now")
    assert items(client, "recovered_now") == items(client, "recovered_source")


def test_a_restored_table_may_differ_from_its_source(make, client, restored):
    kept(make, "recovered_other")
    put(client, "recovered_other", range(3))
    recover(client, "recovered_other")
    client.restore_table_to_point_in_time(
        SourceTableName="recovered_other",
        TargetTableName="recovered_plain",
        UseLatestRestorableTime=True,
        BillingModeOverride="PROVISIONED",
        ProvisionedThroughputOverride={"ReadCapacityUnits": 7, "WriteCapacityUnits": 8},
        GlobalSecondaryIndexOverride=[],
    )
    table = restored("recovered_plain")
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 7
    assert "GlobalSecondaryIndexes" not in table
    assert len(items(client, "recovered_plain")) == 3


def test_restores_that_cannot_be_made(make, client):
    kept(make, "recovered_never")
    request = {"SourceTableName": "recovered_never", "TargetTableName": "recovered_nowhere"}
    restore = client.restore_table_to_point_in_time
    code, message = refused(restore, UseLatestRestorableTime=True, **request)
    assert code == "PointInTimeRecoveryUnavailableException"
    assert message == "Point in time recovery is not enabled for table 'recovered_never'"
    since = recover(client, "recovered_never")["EarliestRestorableDateTime"]
    code, _ = refused(restore, RestoreDateTime=since - timedelta(hours=1), **request)
    assert code == "InvalidRestoreTimeException"
    code, message = refused(
        restore,
        SourceTableName="recovered_never",
        TargetTableName="recovered_never",
        UseLatestRestorableTime=True,
    )
    assert (code, message) == ("TableAlreadyExistsException", "Table already exists: recovered_never")
    code, _ = refused(
        restore, SourceTableName="not_there_at_all", TargetTableName="recovered_nowhere", UseLatestRestorableTime=True
    )
    assert code == "TableNotFoundException"


def test_a_backup_outlives_its_table(make, client, restored):
    kept(make, "backed_up", StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    put(client, "backed_up", range(50))
    before = items(client, "backed_up")
    made = client.create_backup(TableName="backed_up", BackupName="before-the-move")["BackupDetails"]
    assert made["BackupStatus"] == "CREATING" and made["BackupType"] == "USER"
    arn = made["BackupArn"]
    put(client, "backed_up", range(10), "changed")
    until(lambda: client.describe_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]["BackupStatus"] == "AVAILABLE")
    client.delete_table(TableName="backed_up")
    client.get_waiter("table_not_exists").wait(TableName="backed_up", WaiterConfig={"Delay": 1})
    described = client.describe_backup(BackupArn=arn)["BackupDescription"]
    assert described["SourceTableDetails"]["ItemCount"] == 50
    assert described["SourceTableFeatureDetails"]["StreamDescription"]["StreamEnabled"]
    client.restore_table_from_backup(TargetTableName="backed_up_again", BackupArn=arn)
    table = restored("backed_up_again")
    assert items(client, "backed_up_again") == before
    assert items(client, "backed_up_again", IndexName="by_shelf") == before
    assert "LatestStreamArn" not in table
    listed = client.list_backups(TableName="backed_up")["BackupSummaries"]
    assert [backup["BackupArn"] for backup in listed] == [arn]
    gone = client.delete_backup(BackupArn=arn)["BackupDescription"]
    assert gone["BackupDetails"]["BackupStatus"] == "DELETED"
    code, message = refused(client.describe_backup, BackupArn=arn)
    assert (code, message) == ("BackupNotFoundException", f"Backup not found: {arn}")


def test_a_deleted_table_with_recovery_leaves_a_backup(make, client, restored):
    kept(make, "deleted_by_mistake")
    put(client, "deleted_by_mistake", range(20))
    before = items(client, "deleted_by_mistake")
    recover(client, "deleted_by_mistake")
    client.delete_table(TableName="deleted_by_mistake")
    listed = until(lambda: client.list_backups(TableName="deleted_by_mistake", BackupType="ALL")["BackupSummaries"])
    assert [(backup["BackupName"], backup["BackupType"]) for backup in listed] == [
        ("deleted_by_mistake$DeletedTableBackup", "SYSTEM")
    ]
    arn = listed[0]["BackupArn"]
    code, message = refused(client.delete_backup, BackupArn=arn)
    assert code == "ValidationException" and "not allowed to delete the system backup" in message
    client.restore_table_from_backup(TargetTableName="saved", BackupArn=arn)
    restored("saved")
    assert items(client, "saved") == before


def test_backups_are_listed_in_pages(make, client):
    kept(make, "backed_up_often")
    arns = [
        client.create_backup(TableName="backed_up_often", BackupName=f"number-{number}")["BackupDetails"]["BackupArn"]
        for number in range(3)
    ]
    first = client.list_backups(TableName="backed_up_often", Limit=2)
    assert len(first["BackupSummaries"]) == 2
    rest = client.list_backups(
        TableName="backed_up_often", ExclusiveStartBackupArn=first["LastEvaluatedBackupArn"]
    )
    found = [backup["BackupArn"] for backup in first["BackupSummaries"] + rest["BackupSummaries"]]
    assert sorted(found) == sorted(arns) and "LastEvaluatedBackupArn" not in rest
    for arn in arns:
        until(lambda: client.describe_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]["BackupStatus"] == "AVAILABLE")
        client.delete_backup(BackupArn=arn)
