"""BatchGetItem and BatchWriteItem: mixed tables, limits, duplicates, what is left over, costs."""

import pytest
from conftest import ORDERS, refused


def put(name, **more):
    return {"PutRequest": {"Item": {"id": {"S": name}} | more}}


def test_a_batch_writes_and_reads_two_tables(client, plain, orders):
    key = {"customer": {"S": "c"}, "order_id": {"S": "o"}}
    client.put_item(TableName=plain, Item={"id": {"S": "old"}})
    answer = client.batch_write_item(
        RequestItems={plain: [put("a", n={"N": "1"}), put("b"), {"DeleteRequest": {"Key": {"id": {"S": "old"}}}}],
                      orders: [{"PutRequest": {"Item": key | {"amount": {"N": "5"}}}}]},
        ReturnConsumedCapacity="TOTAL", ReturnItemCollectionMetrics="SIZE")
    assert answer["UnprocessedItems"] == {}
    assert {one["TableName"]: one["CapacityUnits"] for one in answer["ConsumedCapacity"]} == {plain: 3.0, orders: 2.0}
    assert [one["ItemCollectionKey"] for one in answer["ItemCollectionMetrics"][orders]] == [{"customer": {"S": "c"}}]
    answer = client.batch_get_item(
        RequestItems={plain: {"Keys": [{"id": {"S": name}} for name in ("a", "b", "old")], "ConsistentRead": True},
                      orders: {"Keys": [key], "ProjectionExpression": "#t", "ExpressionAttributeNames": {"#t": "amount"}}},
        ReturnConsumedCapacity="TOTAL")
    assert answer["UnprocessedKeys"] == {}
    assert sorted(item["id"]["S"] for item in answer["Responses"][plain]) == ["a", "b"]
    assert answer["Responses"][orders] == [{"amount": {"N": "5"}}]
    assert {one["TableName"]: one["CapacityUnits"] for one in answer["ConsumedCapacity"]} == {plain: 3.0, orders: 0.5}


def test_the_largest_batches_pass_and_larger_ones_do_not(client, plain):
    for start in range(0, 100, 25):
        client.batch_write_item(RequestItems={plain: [put(f"i{n}") for n in range(start, start + 25)]})
    keys = [{"id": {"S": f"i{n}"}} for n in range(101)]
    assert len(client.batch_get_item(RequestItems={plain: {"Keys": keys[:100]}})["Responses"][plain]) == 100
    refused(client.batch_get_item, "ValidationException", RequestItems={plain: {"Keys": keys}})
    refused(client.batch_write_item, "ValidationException", RequestItems={plain: [put(f"j{n}") for n in range(26)]})
    assert client.scan(TableName=plain, Select="COUNT")["Count"] == 100


def test_the_same_key_twice_is_refused(client, plain):
    refused(client.batch_write_item, "ValidationException", "Provided list of item keys contains duplicates",
            RequestItems={plain: [put("a"), {"DeleteRequest": {"Key": {"id": {"S": "a"}}}}]})
    refused(client.batch_get_item, "ValidationException", "Provided list of item keys contains duplicates",
            RequestItems={plain: {"Keys": [{"id": {"S": "a"}}, {"id": {"S": "a"}}]}})


def test_a_batch_beyond_16_mb_leaves_keys_over(client, plain):
    for number in range(50):
        client.put_item(TableName=plain, Item={"id": {"S": f"i{number}"}, "body": {"S": "x" * 390_000}})
    wanted = {plain: {"Keys": [{"id": {"S": f"i{n}"}} for n in range(50)]}}
    found = []
    rounds = 0
    while wanted:
        answer = client.batch_get_item(RequestItems=wanted)
        found += [item["id"]["S"] for item in answer["Responses"].get(plain, [])]
        wanted = answer["UnprocessedKeys"]
        rounds += 1
    assert sorted(found) == sorted(f"i{n}" for n in range(50))
    assert rounds == 2


@pytest.mark.parametrize("requests", [{}, {"plain": [{}]}])
def test_an_empty_batch_is_refused(client, plain, requests):
    refused(client.batch_write_item, "ValidationException", RequestItems=requests)


def test_a_missing_table_refuses_the_whole_batch(client, plain):
    refused(client.batch_write_item, "ResourceNotFoundException", "Requested resource not found",
            RequestItems={plain: [put("a")], "absent": [put("a")]})
    refused(client.batch_get_item, "ResourceNotFoundException", "Requested resource not found",
            RequestItems={"absent": {"Keys": [{"id": {"S": "a"}}]}})
    assert client.scan(TableName=plain)["Count"] == 0


def test_indexes_follow_a_batch(client, orders):
    assert ORDERS["TableName"] == orders
    items = [{"customer": {"S": "c"}, "order_id": {"S": f"o{n}"}, "status": {"S": "new"}, "amount": {"N": str(n)}}
             for n in range(5)]
    client.batch_write_item(RequestItems={orders: [{"PutRequest": {"Item": item}} for item in items]})
    deletes = [{"DeleteRequest": {"Key": {"customer": {"S": "c"}, "order_id": {"S": f"o{n}"}}}} for n in (1, 3)]
    client.batch_write_item(RequestItems={orders: deletes})
    answer = client.query(TableName=orders, IndexName="by_status", KeyConditionExpression="#s = :s",
                          ExpressionAttributeNames={"#s": "status"}, ExpressionAttributeValues={":s": {"S": "new"}})
    assert answer["Items"] == [items[0], items[2], items[4]]
