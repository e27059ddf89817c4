"""The life of a table: created in every shape, described in full, changed, listed, deleted."""

import datetime

import pytest
from conftest import ORDERS, index, refused, schema, string_keys, until


def described(client, name):
    return client.describe_table(TableName=name)["Table"]


def test_a_table_with_a_partition_key_is_described_in_full(client, make):
    name = make(TableName="plain.table-1_x", AttributeDefinitions=string_keys("id"), KeySchema=schema("id"),
                ProvisionedThroughput={"ReadCapacityUnits": 5, "WriteCapacityUnits": 6})
    table = described(client, name)
    assert table["TableName"] == name
    assert table["TableStatus"] == "ACTIVE"
    assert table["KeySchema"] == schema("id")
    assert table["AttributeDefinitions"] == string_keys("id")
    assert table["ItemCount"] == 0
    assert table["TableSizeBytes"] == 0
    throughput = table["ProvisionedThroughput"]
    assert (throughput["ReadCapacityUnits"], throughput["WriteCapacityUnits"]) == (5, 6)
    assert throughput["NumberOfDecreasesToday"] == 0
    assert table["TableArn"].startswith("arn:aws:dynamodb:") and table["TableArn"].endswith(f":table/{name}")
    assert len(table["TableId"]) == 36
    assert table["DeletionProtectionEnabled"] is False
    assert "BillingModeSummary" not in table
    assert table["WarmThroughput"]["Status"] == "ACTIVE"
    now = datetime.datetime.now(datetime.timezone.utc)
    assert abs((now - table["CreationDateTime"]).total_seconds()) < 60


def test_create_answers_with_the_description(client):
    answer = client.create_table(TableName="answered", AttributeDefinitions=string_keys("id"),
                                 KeySchema=schema("id"), BillingMode="PAY_PER_REQUEST")["TableDescription"]
    assert answer["TableStatus"] in ("CREATING", "ACTIVE")
    assert answer["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert answer["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    client.get_waiter("table_exists").wait(TableName="answered", WaiterConfig={"Delay": 1})
    gone = client.delete_table(TableName="answered")["TableDescription"]
    assert gone["TableName"] == "answered"
    assert gone["TableStatus"] == "DELETING"
    client.get_waiter("table_not_exists").wait(TableName="answered", WaiterConfig={"Delay": 1})
    refused(client.describe_table, "ResourceNotFoundException",
            "Requested resource not found: Table: answered not found", TableName="answered")


def test_indexes_are_described(client, orders):
    table = described(client, orders)
    found = {one["IndexName"]: one for one in table["GlobalSecondaryIndexes"]}
    assert set(found) == {"by_status", "by_day", "by_product"}
    assert found["by_status"]["KeySchema"] == schema("status", "amount")
    assert found["by_status"]["Projection"] == {"ProjectionType": "ALL"}
    assert found["by_day"]["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    assert found["by_product"]["Projection"] == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["note"]}
    for one in found.values():
        assert one["IndexStatus"] == "ACTIVE"
        assert one["IndexArn"] == f"{table['TableArn']}/index/{one['IndexName']}"
        assert one["ItemCount"] == 0
        assert one["ProvisionedThroughput"]["WriteCapacityUnits"] == 0
    (local,) = table["LocalSecondaryIndexes"]
    assert local["IndexName"] == "by_amount"
    assert local["KeySchema"] == schema("customer", "amount")
    assert local["IndexArn"] == f"{table['TableArn']}/index/by_amount"


def test_every_option_of_create_is_described(client, make):
    name = make(
        **ORDERS | {"TableName": "options"},
        SSESpecification={"Enabled": True, "SSEType": "KMS"},
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        TableClass="STANDARD_INFREQUENT_ACCESS",
        OnDemandThroughput={"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50},
        DeletionProtectionEnabled=True,
        Tags=[{"Key": "team", "Value": "kitchen"}],
    )
    table = described(client, name)
    assert table["SSEDescription"]["Status"] == "ENABLED"
    assert table["SSEDescription"]["SSEType"] == "KMS"
    assert table["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    assert table["LatestStreamArn"].startswith(table["TableArn"] + "/stream/")
    assert table["LatestStreamArn"].endswith(table["LatestStreamLabel"])
    assert table["TableClassSummary"]["TableClass"] == "STANDARD_INFREQUENT_ACCESS"
    assert table["OnDemandThroughput"] == {"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50}
    assert table["DeletionProtectionEnabled"] is True
    tags = client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]
    assert tags == [{"Key": "team", "Value": "kitchen"}]
    refused(client.delete_table, "ValidationException", "protected against deletion", TableName=name)
    client.update_table(TableName=name, DeletionProtectionEnabled=False)
    until(lambda: described(client, name)["TableStatus"] == "ACTIVE")
    assert described(client, name)["DeletionProtectionEnabled"] is False


def test_billing_mode_switches_both_ways(client, make):
    name = make(TableName="billing", AttributeDefinitions=string_keys("id"), KeySchema=schema("id"),
                BillingMode="PAY_PER_REQUEST")
    client.update_table(TableName=name, BillingMode="PROVISIONED",
                        ProvisionedThroughput={"ReadCapacityUnits": 7, "WriteCapacityUnits": 8})
    table = until(lambda: (t := described(client, name))["TableStatus"] == "ACTIVE" and t)
    assert table.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED") == "PROVISIONED"
    assert table["ProvisionedThroughput"]["WriteCapacityUnits"] == 8
    client.update_table(TableName=name,
                        ProvisionedThroughput={"ReadCapacityUnits": 9, "WriteCapacityUnits": 10})
    table = until(lambda: (t := described(client, name))["TableStatus"] == "ACTIVE" and t)
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 9
    client.update_table(TableName=name, BillingMode="PAY_PER_REQUEST")
    table = until(lambda: (t := described(client, name))["TableStatus"] == "ACTIVE" and t)
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert "LastUpdateToPayPerRequestDateTime" in table["BillingModeSummary"]
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 0


def test_a_global_index_is_added_filled_queried_and_dropped(client, plain):
    for number in range(60):
        item = {"id": {"S": f"i{number}"}, "colour": {"S": "red" if number % 3 == 0 else "blue"}}
        if number % 2:
            item["weight"] = {"N": str(number)}
        client.put_item(TableName=plain, Item=item)
    answer = client.update_table(
        TableName=plain,
        AttributeDefinitions=string_keys("id", "colour") + [{"AttributeName": "weight", "AttributeType": "N"}],
        GlobalSecondaryIndexUpdates=[{"Create": index("by_colour", schema("colour", "weight"))}],
    )["TableDescription"]
    assert answer["GlobalSecondaryIndexes"][0]["IndexStatus"] in ("CREATING", "ACTIVE")
    until(lambda: [i["IndexStatus"] for i in described(client, plain)["GlobalSecondaryIndexes"]] == ["ACTIVE"], 300)
    assert "Backfilling" not in described(client, plain)["GlobalSecondaryIndexes"][0]
    found = client.query(TableName=plain, IndexName="by_colour", KeyConditionExpression="colour = :c",
                         ExpressionAttributeValues={":c": {"S": "red"}})
    weights = [int(item["weight"]["N"]) for item in found["Items"]]
    assert weights == [n for n in range(60) if n % 3 == 0 and n % 2]
    client.put_item(TableName=plain, Item={"id": {"S": "late"}, "colour": {"S": "red"}, "weight": {"N": "-1"}})
    found = client.query(TableName=plain, IndexName="by_colour", KeyConditionExpression="colour = :c", Limit=1,
                         ExpressionAttributeValues={":c": {"S": "red"}})
    assert found["Items"][0]["id"]["S"] == "late"
    client.update_table(TableName=plain, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by_colour"}}])
    until(lambda: "GlobalSecondaryIndexes" not in described(client, plain), 300)
    assert described(client, plain)["AttributeDefinitions"] == string_keys("id")
    refused(client.query, "ValidationException", "does not have the specified index", TableName=plain,
            IndexName="by_colour", KeyConditionExpression="colour = :c",
            ExpressionAttributeValues={":c": {"S": "red"}})


def test_tables_are_listed_in_pages(client, make):
    names = [make(TableName=f"listed-{n}", AttributeDefinitions=string_keys("id"), KeySchema=schema("id"),
                  BillingMode="PAY_PER_REQUEST") for n in (3, 1, 2)]
    assert client.list_tables()["TableNames"] == sorted(names)
    first = client.list_tables(Limit=2)
    assert first["TableNames"] == ["listed-1", "listed-2"]
    assert first["LastEvaluatedTableName"] == "listed-2"
    rest = client.list_tables(Limit=2, ExclusiveStartTableName="listed-2")
    assert rest["TableNames"] == ["listed-3"]
    assert "LastEvaluatedTableName" not in rest
    pages = list(client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 1}))
    assert [name for page in pages for name in page["TableNames"]] == sorted(names)


@pytest.mark.parametrize(("change", "text"), [
    ({"KeySchema": schema("other")}, ""),
    ({"TableName": "a!"}, ""),
    ({"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}},
     "PAY_PER_REQUEST"),
    ({"AttributeDefinitions": string_keys("id", "unused")}, "AttributeDefinitions"),
])
def test_a_table_that_makes_no_sense_is_refused(client, change, text):
    request = {"TableName": "nonsense", "AttributeDefinitions": string_keys("id"), "KeySchema": schema("id"),
               "BillingMode": "PAY_PER_REQUEST"} | change
    refused(client.create_table, "ValidationException", text, **request)
    assert client.list_tables()["TableNames"] == []


def test_the_same_name_twice_is_in_use(client, plain):
    refused(client.create_table, "ResourceInUseException", "Table already exists: plain", TableName=plain,
            AttributeDefinitions=string_keys("id"), KeySchema=schema("id"), BillingMode="PAY_PER_REQUEST")


def test_a_table_may_be_named_by_its_arn(client, plain):
    arn = described(client, plain)["TableArn"]
    client.put_item(TableName=arn, Item={"id": {"S": "a"}})
    assert client.get_item(TableName=plain, Key={"id": {"S": "a"}})["Item"] == {"id": {"S": "a"}}
    assert client.describe_table(TableName=arn)["Table"]["TableName"] == plain
    assert client.scan(TableName=arn)["Count"] == 1


def test_a_global_index_may_have_keys_of_several_attributes(client, make):
    keys = [{"AttributeName": name, "KeyType": "HASH"} for name in ("country", "region")]
    keys += [{"AttributeName": name, "KeyType": "RANGE"} for name in ("city", "height")]
    name = make(
        TableName="places",
        AttributeDefinitions=string_keys("id", "country", "region", "city")
        + [{"AttributeName": "height", "AttributeType": "N"}],
        KeySchema=schema("id"), BillingMode="PAY_PER_REQUEST",
        GlobalSecondaryIndexes=[index("by_place", keys)],
    )
    for number, city, height in ((1, "bern", 540), (2, "basel", 260), (3, "bern", 541), (4, "thun", 560)):
        client.put_item(TableName=name, Item={
            "id": {"S": f"p{number}"}, "country": {"S": "ch"}, "region": {"S": "west"}, "city": {"S": city},
            "height": {"N": str(height)}})
    client.put_item(TableName=name, Item={"id": {"S": "p5"}, "country": {"S": "ch"}, "city": {"S": "bern"}})

    def found(condition, **values):
        answer = client.query(TableName=name, IndexName="by_place", KeyConditionExpression=condition,
                              ExpressionAttributeNames={"#r": "region"},
                              ExpressionAttributeValues={f":{k}": v for k, v in values.items()})
        return [item["id"]["S"] for item in answer["Items"]]

    ch, west, bern = {"S": "ch"}, {"S": "west"}, {"S": "bern"}
    assert found("country = :c AND #r = :r", c=ch, r=west) == ["p2", "p1", "p3", "p4"]
    assert found("country = :c AND #r = :r AND city = :t", c=ch, r=west, t=bern) == ["p1", "p3"]
    assert found("country = :c AND #r = :r AND begins_with(city, :t)", c=ch, r=west, t={"S": "b"}) == ["p2", "p1", "p3"]
    assert found("country = :c AND #r = :r AND city = :t AND height > :h", c=ch, r=west, t=bern, h={"N": "540"}) == ["p3"]
