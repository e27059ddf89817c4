"""boto3's resource layer: tables as objects, Python types, the batch writer, condition builders, waiters."""

from decimal import Decimal

import pytest
from boto3.dynamodb.conditions import Attr, Key
from boto3.dynamodb.types import Binary


@pytest.fixture
def table(resource):
    made = resource.create_table(
        TableName="shelf", BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "row", "AttributeType": "N"}, {"AttributeName": "name", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "row", "KeyType": "HASH"}, {"AttributeName": "name", "KeyType": "RANGE"}])
    made.wait_until_exists(WaiterConfig={"Delay": 1})
    yield made
    made.delete()
    made.wait_until_not_exists(WaiterConfig={"Delay": 1})


def test_a_table_knows_itself(resource, table):
    table.reload()
    assert table.table_status == "ACTIVE"
    assert table.item_count == 0
    assert table.creation_date_time is not None
    assert table.key_schema[1] == {"AttributeName": "name", "KeyType": "RANGE"}
    assert [one.name for one in resource.tables.all()] == ["shelf"]


def test_python_values_survive(table):
    item = {"row": Decimal(1), "name": "jam", "price": Decimal("3.1400000000000000000000000000000000001"), "fresh": True,
            "none": None, "tags": {"sweet", "red"}, "sizes": {Decimal(1), Decimal("2.5")}, "raw": Binary(b"\x00\x01"),
            "list": [Decimal(1), "two", {"three": []}]}
    table.put_item(Item=item)
    assert table.get_item(Key={"row": 1, "name": "jam"})["Item"] == item


def test_the_batch_writer_splits_and_overwrites(table):
    with table.batch_writer(overwrite_by_pkeys=["row", "name"]) as batch:
        for number in range(130):
            batch.put_item(Item={"row": number % 3, "name": f"n{number:03}", "v": number})
        batch.put_item(Item={"row": 0, "name": "n000", "v": -1})
        batch.delete_item(Key={"row": 1, "name": "n001"})
    assert table.scan(Select="COUNT")["Count"] == 129
    assert table.get_item(Key={"row": 0, "name": "n000"})["Item"]["v"] == -1
    found = table.query(KeyConditionExpression=Key("row").eq(2) & Key("name").between("n010", "n020"),
                        FilterExpression=Attr("v").gt(11) & ~Attr("absent").exists(), ScanIndexForward=False)
    assert [item["v"] for item in found["Items"]] == [20, 17, 14]


def test_conditions_built_from_objects(table):
    table.put_item(Item={"row": 5, "name": "a", "n": 1}, ConditionExpression=Attr("row").not_exists())
    with pytest.raises(table.meta.client.exceptions.ConditionalCheckFailedException):
        table.put_item(Item={"row": 5, "name": "a"}, ConditionExpression=Attr("row").not_exists())
    answer = table.update_item(Key={"row": 5, "name": "a"}, UpdateExpression="SET n = n + :d",
                               ConditionExpression=Attr("n").is_in([1, 2]), ExpressionAttributeValues={":d": Decimal("0.5")},
                               ReturnValues="UPDATED_NEW")
    assert answer["Attributes"] == {"n": Decimal("1.5")}


def test_the_resource_reads_batches(resource, table):
    table.put_item(Item={"row": 9, "name": "x"})
    answer = resource.batch_get_item(RequestItems={"shelf": {"Keys": [{"row": 9, "name": "x"}, {"row": 9, "name": "y"}]}})
    assert answer["Responses"]["shelf"] == [{"row": Decimal(9), "name": "x"}]
