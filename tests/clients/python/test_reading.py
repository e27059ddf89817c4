"""Query and Scan: every key condition, both directions, pages, filters, projections, indexes, segments, costs."""

import pytest
from conftest import refused

STATUSES = ("new", "paid", "sent")


@pytest.fixture
def filled(client, orders):
    """Forty orders of four customers; every fourth has no status, so it is in no status index."""
    for number in range(40):
        item = {"customer": {"S": f"c{number % 4}"}, "order_id": {"S": f"o{number:03}"}, "amount": {"N": str(100 - number)},
                "note": {"S": f"note {number}"}, "day": {"S": f"d{number % 2}"}, "product": {"S": "jam"}}
        if number % 4 != 3:
            item["status"] = {"S": STATUSES[number % 3]}
        client.put_item(TableName=orders, Item=item)
    return orders


def ids(answer):
    return [item["order_id"]["S"] for item in answer["Items"]]


def numbers(values):
    return [f"o{value:03}" for value in values]


@pytest.mark.parametrize(("condition", "values", "expected"), [
    ("order_id = :a", {":a": "o008"}, [8]),
    ("order_id < :a", {":a": "o012"}, [0, 4, 8]),
    ("order_id <= :a", {":a": "o012"}, [0, 4, 8, 12]),
    ("order_id > :a", {":a": "o028"}, [32, 36]),
    ("order_id >= :a", {":a": "o028"}, [28, 32, 36]),
    ("order_id BETWEEN :a AND :b", {":a": "o005", ":b": "o016"}, [8, 12, 16]),
    ("begins_with(order_id, :a)", {":a": "o02"}, [20, 24, 28]),
])
def test_every_key_condition(client, filled, condition, values, expected):
    typed = {":c": {"S": "c0"}} | {name: {"S": value} for name, value in values.items()}
    request = {"TableName": filled, "KeyConditionExpression": f"customer = :c AND {condition}",
               "ExpressionAttributeValues": typed}
    answer = client.query(**request)
    assert ids(answer) == numbers(expected)
    assert (answer["Count"], answer["ScannedCount"]) == (len(expected), len(expected))
    assert "LastEvaluatedKey" not in answer
    assert ids(client.query(**request, ScanIndexForward=False)) == numbers(reversed(expected))


def test_pages_of_a_query_in_both_directions(client, filled):
    for forward in (True, False):
        request = {"TableName": filled, "KeyConditionExpression": "customer = :c", "Limit": 3, "ScanIndexForward": forward,
                   "ExpressionAttributeValues": {":c": {"S": "c1"}}}
        pages = list(client.get_paginator("query").paginate(**request))
        expected = numbers(range(1, 40, 4) if forward else range(37, 0, -4))
        assert [name for page in pages for name in ids(page)] == expected
        assert [page["Count"] for page in pages] == [3, 3, 3, 1]
        assert pages[0]["LastEvaluatedKey"] == {"customer": {"S": "c1"}, "order_id": {"S": expected[2]}}


def test_a_limit_counts_what_was_read_before_the_filter(client, filled):
    answer = client.query(TableName=filled, KeyConditionExpression="customer = :c", FilterExpression="amount < :t",
                          ExpressionAttributeValues={":c": {"S": "c0"}, ":t": {"N": "70"}}, Limit=9)
    assert (answer["Count"], answer["ScannedCount"]) == (1, 9)
    assert answer["LastEvaluatedKey"]["order_id"] == {"S": "o032"}
    exact = client.query(TableName=filled, KeyConditionExpression="customer = :c", Limit=10,
                         ExpressionAttributeValues={":c": {"S": "c0"}})
    assert exact["LastEvaluatedKey"]["order_id"] == {"S": "o036"}
    rest = client.query(TableName=filled, KeyConditionExpression="customer = :c",
                        ExpressionAttributeValues={":c": {"S": "c0"}}, ExclusiveStartKey=exact["LastEvaluatedKey"])
    assert (rest["Count"], "LastEvaluatedKey" in rest) == (0, False)


def test_select_and_projection(client, filled):
    request = {"TableName": filled, "KeyConditionExpression": "customer = :c",
               "ExpressionAttributeValues": {":c": {"S": "c2"}}}
    count = client.query(**request, Select="COUNT")
    assert (count["Count"], "Items" in count) == (10, False)
    answer = client.query(**request, ProjectionExpression="#n, amount", ExpressionAttributeNames={"#n": "note"}, Limit=1)
    assert answer["Items"] == [{"note": {"S": "note 2"}, "amount": {"N": "98"}}]
    refused(client.query, "ValidationException", **request, Select="COUNT", ProjectionExpression="amount")


def test_a_global_index_holds_what_has_its_keys(client, filled):
    answer = client.query(TableName=filled, IndexName="by_status", KeyConditionExpression="#s = :s AND amount > :t",
                          ExpressionAttributeNames={"#s": "status"},
                          ExpressionAttributeValues={":s": {"S": "paid"}, ":t": {"N": "80"}})
    expected = [n for n in range(39, -1, -1) if n % 3 == 1 and n % 4 != 3 and 100 - n > 80]
    assert ids(answer) == numbers(expected)
    assert answer["Items"][0]["note"]["S"] == f"note {expected[0]}"
    by_day = client.query(TableName=filled, IndexName="by_day", KeyConditionExpression="#d = :d", Limit=1,
                          ExpressionAttributeNames={"#d": "day"}, ExpressionAttributeValues={":d": {"S": "d1"}})
    assert set(by_day["Items"][0]) == {"day", "customer", "order_id"}
    assert set(by_day["LastEvaluatedKey"]) == {"day", "customer", "order_id"}
    by_product = client.scan(TableName=filled, IndexName="by_product", Limit=1)
    assert set(by_product["Items"][0]) == {"product", "customer", "order_id", "note"}
    assert client.scan(TableName=filled, IndexName="by_status", Select="COUNT")["Count"] == 30
    refused(client.query, "ValidationException", "Consistent reads are not supported on global secondary indexes",
            TableName=filled, IndexName="by_day", KeyConditionExpression="#d = :d", ConsistentRead=True,
            ExpressionAttributeNames={"#d": "day"}, ExpressionAttributeValues={":d": {"S": "d1"}})


def test_an_index_is_paged_without_loss(client, filled):
    pages = client.get_paginator("query").paginate(
        TableName=filled, IndexName="by_product", KeyConditionExpression="product = :p",
        ExpressionAttributeValues={":p": {"S": "jam"}}, PaginationConfig={"PageSize": 7})
    assert sorted(name for page in pages for name in ids(page)) == numbers(range(40))


def test_a_local_index_sorts_by_its_key_and_reads_consistently(client, filled):
    answer = client.query(TableName=filled, IndexName="by_amount", KeyConditionExpression="customer = :c AND amount <= :t",
                          ConsistentRead=True, ExpressionAttributeValues={":c": {"S": "c3"}, ":t": {"N": "73"}})
    assert ids(answer) == numbers([39, 35, 31, 27])


def test_scan_filters_and_pages(client, filled):
    everything = client.scan(TableName=filled)
    assert sorted(ids(everything)) == numbers(range(40))
    request = {"FilterExpression": "contains(note, :n) AND attribute_exists(#s)",
               "ExpressionAttributeNames": {"#s": "status"}, "ExpressionAttributeValues": {":n": {"S": "note 1"}}}
    pages = list(client.get_paginator("scan").paginate(TableName=filled, **request, PaginationConfig={"PageSize": 6}))
    found = sorted(name for page in pages for name in ids(page))
    assert found == numbers(n for n in range(40) if str(n).startswith("1") and n % 4 != 3)
    assert sum(page["ScannedCount"] for page in pages) == 40


def test_segments_share_the_table_out(client, filled):
    found = []
    for segment in range(4):
        pages = client.get_paginator("scan").paginate(TableName=filled, Segment=segment, TotalSegments=4,
                                                      PaginationConfig={"PageSize": 5})
        found += [name for page in pages for name in ids(page)]
    assert sorted(found) == numbers(range(40))
    refused(client.scan, "ValidationException", TableName=filled, Segment=4, TotalSegments=4)


def test_a_page_ends_at_one_megabyte(client, plain):
    for number in range(30):
        client.put_item(TableName=plain, Item={"id": {"S": f"i{number}"}, "body": {"S": "x" * 50_000}})
    first = client.scan(TableName=plain, ReturnConsumedCapacity="TOTAL", ConsistentRead=True)
    assert "LastEvaluatedKey" in first
    assert first["Count"] in (20, 21)
    assert first["ConsumedCapacity"]["CapacityUnits"] == (245 if first["Count"] == 20 else 257)
    pages = client.get_paginator("scan").paginate(TableName=plain)
    assert sum(page["Count"] for page in pages) == 30


def test_what_a_read_costs(client, filled):
    request = {"TableName": filled, "KeyConditionExpression": "customer = :c",
               "ExpressionAttributeValues": {":c": {"S": "c0"}}, "ReturnConsumedCapacity": "INDEXES"}
    assert client.query(**request)["ConsumedCapacity"] == {
        "TableName": filled, "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.5}}
    assert client.query(**request, ConsistentRead=True)["ConsumedCapacity"]["CapacityUnits"] == 1.0
    answer = client.query(**request, IndexName="by_amount")["ConsumedCapacity"]
    assert answer == {"TableName": filled, "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.0},
                      "LocalSecondaryIndexes": {"by_amount": {"CapacityUnits": 0.5}}}
    answer = client.scan(TableName=filled, IndexName="by_day", ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    assert answer == {"TableName": filled, "CapacityUnits": 0.5, "Table": {"CapacityUnits": 0.0},
                      "GlobalSecondaryIndexes": {"by_day": {"CapacityUnits": 0.5}}}


@pytest.mark.parametrize("condition", [
    "order_id = :c", "customer > :c", "customer = :c AND note = :c", "customer = :c OR order_id = :c", "customer <> :c",
    "customer = :c AND contains(order_id, :c)", "customer = ", "",
])
def test_key_conditions_that_make_no_sense_are_refused(client, orders, condition):
    refused(client.query, "ValidationException", TableName=orders, KeyConditionExpression=condition,
            ExpressionAttributeValues={":c": {"S": "c0"}})
