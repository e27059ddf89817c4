"""The calls that Terraform's AWS provider makes for a table, in its order, with what it needs of each answer.

This is not Terraform. The provider cannot be had from the registries this project builds from, so its calls for
create, read, update and delete of an aws_dynamodb_table are replayed here by boto3 (create with an index, time to
live and tags; read; change; delete), and the fields without which the provider waits for ever or plans a change
are asserted. Where Terraform is installed, `test_terraform.py` runs the real thing.
"""

import os
import time

import boto3
import pytest
from botocore.config import Config

NAME = "provider-table"


@pytest.fixture(scope="module")
def client():
    return boto3.client("dynamodb", endpoint_url=os.environ.get("LARDER_ENDPOINT", "http://127.0.0.1:8000"),
                        region_name="us-east-1", aws_access_key_id="story", aws_secret_access_key="story",
                        config=Config(retries={"mode": "standard", "total_max_attempts": 1}))


def wait_for_indexes(client, names):
    """Polls as the provider does after each change of an index."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        indexes = client.describe_table(TableName=NAME)["Table"].get("GlobalSecondaryIndexes", [])
        if [(one["IndexName"], one["IndexStatus"]) for one in indexes] == [(name, "ACTIVE") for name in names]:
            return
        time.sleep(0.02)
    raise AssertionError(f"the indexes are not {names} after two minutes")


def read(client, name=NAME):
    """What the provider asks for to refresh its state, and what it takes for granted."""
    table = client.describe_table(TableName=name)["Table"]
    assert table["TableStatus"] == "ACTIVE"
    assert table["TableArn"] and table["TableId"]
    assert table["WarmThroughput"]["Status"] == "ACTIVE"
    assert table["WarmThroughput"]["ReadUnitsPerSecond"] > 0
    assert table["WarmThroughput"]["WriteUnitsPerSecond"] > 0
    for index in table.get("GlobalSecondaryIndexes", []):
        assert index["IndexStatus"] == "ACTIVE"
        assert index["WarmThroughput"]["Status"] == "ACTIVE"
        assert "ProvisionedThroughput" in index
        assert index["IndexArn"] and index["Projection"]["ProjectionType"]
    backups = client.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "DISABLED"
    live = client.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
    tags = client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
    return table, live, {tag["Key"]: tag["Value"] for tag in tags}


def test_create_read_change_delete(client):
    client.create_table(
        TableName=NAME, BillingMode="PAY_PER_REQUEST", TableClass="STANDARD", DeletionProtectionEnabled=False,
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "g")],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        GlobalSecondaryIndexes=[{"IndexName": "by_g", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                                 "Projection": {"ProjectionType": "ALL"}}],
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
        SSESpecification={"Enabled": True, "SSEType": "KMS"},
        Tags=[{"Key": "a", "Value": "1"}])
    for _ in range(2):
        assert client.describe_table(TableName=NAME)["Table"]["TableStatus"] == "ACTIVE"
    client.update_time_to_live(TableName=NAME, TimeToLiveSpecification={"AttributeName": "t", "Enabled": True})
    # The provider polls until it reads ENABLED, so ENABLING would cost its user minutes.
    assert client.describe_time_to_live(TableName=NAME)["TimeToLiveDescription"]["TimeToLiveStatus"] == "ENABLED"
    table, live, tags = read(client)
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert (table["ProvisionedThroughput"]["ReadCapacityUnits"], table["ProvisionedThroughput"]["WriteCapacityUnits"]) == (0, 0)
    assert table["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    assert table["LatestStreamArn"] and table["LatestStreamLabel"]
    assert table["SSEDescription"]["Status"] == "ENABLED"
    assert live["AttributeName"] == "t"
    assert tags == {"a": "1"}

    client.update_table(TableName=NAME, AttributeDefinitions=table["AttributeDefinitions"],
                        GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by_g"}}])
    wait_for_indexes(client, [])
    client.update_table(
        TableName=NAME, AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "h")],
        GlobalSecondaryIndexUpdates=[{"Create": {"IndexName": "by_h", "KeySchema": [{"AttributeName": "h", "KeyType": "HASH"}],
                                                 "Projection": {"ProjectionType": "KEYS_ONLY"}}}])
    wait_for_indexes(client, ["by_h"])
    client.tag_resource(ResourceArn=table["TableArn"], Tags=[{"Key": "b", "Value": "2"}])
    client.untag_resource(ResourceArn=table["TableArn"], TagKeys=["a"])
    table, live, tags = read(client)
    assert [index["IndexName"] for index in table["GlobalSecondaryIndexes"]] == ["by_h"]
    assert live == {"TimeToLiveStatus": "ENABLED", "AttributeName": "t"}
    assert tags == {"b": "2"}

    client.delete_table(TableName=NAME)
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName=NAME)
