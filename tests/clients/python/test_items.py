"""One item at a time: types, numbers, conditions, update expressions, what is returned, and what it costs."""

import pytest
from conftest import refused

EVERY_TYPE = {
    "id": {"S": "every"},
    "text": {"S": "päge \U0001f95e"},
    "empty": {"S": ""},
    "number": {"N": "-12.5"},
    "bytes": {"B": b"\x00\xff\x10"},
    "yes": {"BOOL": True},
    "nothing": {"NULL": True},
    "list": {"L": [{"S": "a"}, {"N": "1"}, {"L": []}, {"M": {}}]},
    "map": {"M": {"deep": {"M": {"er": {"L": [{"BOOL": False}]}}}}},
    "strings": {"SS": ["a", "b"]},
    "numbers": {"NS": ["1", "2.5"]},
    "binaries": {"BS": [b"a", b"b"]},
}


def normal(item):
    """Sets have no order: the same item with its sets sorted."""
    return {name: {kind: sorted(value) if kind in ("SS", "NS", "BS") else value for kind, value in typed.items()}
            for name, typed in item.items()}


def test_all_ten_types_come_back(client, plain):
    assert "Attributes" not in client.put_item(TableName=plain, Item=EVERY_TYPE)
    found = client.get_item(TableName=plain, Key={"id": {"S": "every"}}, ConsistentRead=True)["Item"]
    assert normal(found) == EVERY_TYPE
    assert "Item" not in client.get_item(TableName=plain, Key={"id": {"S": "none"}})


@pytest.mark.parametrize(("given", "kept"), [
    ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
    ("-0.00000000000000000000000000000000000001", "-0.00000000000000000000000000000000000001"),
    ("1.5000", "1.5"),
    ("+007", "7"),
    ("-0", "0"),
    ("1e3", "1000"),
    ("1E-3", "0.001"),
    ("1e125", "1" + "0" * 125),
    ("9.9999999999999999999999999999999999999E+125", "99999999999999999999999999999999999999" + "0" * 88),
])
def test_numbers_are_kept_to_38_digits(client, plain, given, kept):
    client.put_item(TableName=plain, Item={"id": {"S": "n"}, "n": {"N": given}})
    assert client.get_item(TableName=plain, Key={"id": {"S": "n"}})["Item"]["n"] == {"N": kept}


@pytest.mark.parametrize("given", ["1e126", "1e-131", "1" * 39, "", "abc", "0x1", "1 2", "NaN"])
def test_numbers_beyond_are_refused(client, plain, given):
    refused(client.put_item, "ValidationException", TableName=plain, Item={"id": {"S": "n"}, "n": {"N": given}})


def test_what_a_write_returns(client, plain):
    key = {"id": {"S": "r"}}
    client.put_item(TableName=plain, Item=key | {"a": {"N": "1"}})
    put = client.put_item(TableName=plain, Item=key | {"a": {"N": "2"}, "b": {"S": "x"}}, ReturnValues="ALL_OLD")
    assert put["Attributes"] == key | {"a": {"N": "1"}}

    def update(returns):
        return client.update_item(TableName=plain, Key=key, UpdateExpression="SET a = a + :one, c = :c",
                                  ExpressionAttributeValues={":one": {"N": "1"}, ":c": {"S": returns}},
                                  ReturnValues=returns).get("Attributes")

    assert update("NONE") is None
    assert update("ALL_OLD") == key | {"a": {"N": "3"}, "b": {"S": "x"}, "c": {"S": "NONE"}}
    assert update("UPDATED_OLD") == {"a": {"N": "4"}, "c": {"S": "ALL_OLD"}}
    assert update("ALL_NEW") == key | {"a": {"N": "6"}, "b": {"S": "x"}, "c": {"S": "ALL_NEW"}}
    assert update("UPDATED_NEW") == {"a": {"N": "7"}, "c": {"S": "UPDATED_NEW"}}
    gone = client.delete_item(TableName=plain, Key=key, ReturnValues="ALL_OLD")
    assert gone["Attributes"] == key | {"a": {"N": "7"}, "b": {"S": "x"}, "c": {"S": "UPDATED_NEW"}}
    assert "Attributes" not in client.delete_item(TableName=plain, Key=key, ReturnValues="ALL_OLD")


def test_update_expressions(client, plain):
    key = {"id": {"S": "u"}}

    def update(expression, names=None, **values):
        request = {"TableName": plain, "Key": key, "UpdateExpression": expression, "ReturnValues": "ALL_NEW"}
        if values:
            request["ExpressionAttributeValues"] = {f":{name}": value for name, value in values.items()}
        if names:
            request["ExpressionAttributeNames"] = names
        found = client.update_item(**request)["Attributes"]
        assert found.pop("id") == {"S": "u"}
        return normal(found)

    assert update("SET n = if_not_exists(n, :zero) + :one", zero={"N": "0"}, one={"N": "1"}) == {"n": {"N": "1"}}
    assert update("SET n = n - :x", x={"N": "0.1"})["n"] == {"N": "0.9"}
    assert update("SET n = if_not_exists(n, :zero)", zero={"N": "0"})["n"] == {"N": "0.9"}
    assert update("SET l = list_append(if_not_exists(l, :none), :more)", none={"L": []},
                  more={"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}]})["l"]["L"] == [{"S": "a"}, {"S": "b"}, {"S": "c"}]
    assert update("SET l = list_append(:first, l)", first={"L": [{"N": "0"}]})["l"]["L"][0] == {"N": "0"}
    assert update("SET l[1] = :x, l[99] = :y", x={"S": "A"}, y={"S": "end"})["l"]["L"] == [
        {"N": "0"}, {"S": "A"}, {"S": "b"}, {"S": "c"}, {"S": "end"}]
    assert update("REMOVE l[0], l[2]")["l"]["L"] == [{"S": "A"}, {"S": "c"}, {"S": "end"}]
    assert update("SET #m = :m", {"#m": "map"}, m={"M": {"a": {"M": {}}}})["map"] == {"M": {"a": {"M": {}}}}
    assert update("SET #m.a.#b = :v", {"#m": "map", "#b": "b.c"}, v={"N": "1"})["map"] == {
        "M": {"a": {"M": {"b.c": {"N": "1"}}}}}
    assert "map" not in update("REMOVE #m", {"#m": "map"})
    found = update("ADD n :five, tags :t", five={"N": "5"}, t={"SS": ["x", "y"]})
    assert (found["n"], found["tags"]) == ({"N": "5.9"}, {"SS": ["x", "y"]})
    assert update("ADD tags :t", t={"SS": ["y", "z"]})["tags"] == {"SS": ["x", "y", "z"]}
    assert update("DELETE tags :t", t={"SS": ["x", "q"]})["tags"] == {"SS": ["y", "z"]}
    assert "tags" not in update("DELETE tags :t", t={"SS": ["y", "z"]})
    found = update("SET a = n, b = :b REMOVE l ADD hits :one", b={"BOOL": True}, one={"N": "1"})
    assert found == {"n": {"N": "5.9"}, "a": {"N": "5.9"}, "b": {"BOOL": True}, "hits": {"N": "1"}}
    found = update("SET a = b, b = a")
    assert (found["a"], found["b"]) == ({"BOOL": True}, {"N": "5.9"})


def test_an_update_without_an_expression_makes_the_item(client, plain):
    client.update_item(TableName=plain, Key={"id": {"S": "bare"}})
    assert client.get_item(TableName=plain, Key={"id": {"S": "bare"}})["Item"] == {"id": {"S": "bare"}}


@pytest.mark.parametrize(("expression", "values"), [
    ("SET id = :v", {":v": {"S": "x"}}),
    ("SET a = :v, a = :v", {":v": {"S": "x"}}),
    ("SET a.b = :v", {":v": {"S": "x"}}),
    ("SET n = s + :v", {":v": {"N": "1"}}),
    ("ADD s :v", {":v": {"N": "1"}}),
    ("SET a = absent", None),
    ("SET size = :v", {":v": {"S": "x"}}),
    ("SET a = :missing", {":v": {"S": "x"}}),
    ("SET a = :v", {":v": {"S": "x"}, ":unused": {"S": "x"}}),
    ("FROB a", None),
    ("", None),
])
def test_updates_that_make_no_sense_are_refused(client, plain, expression, values):
    client.put_item(TableName=plain, Item={"id": {"S": "e"}, "s": {"S": "text"}})
    request = {"ExpressionAttributeValues": values} if values else {}
    refused(client.update_item, "ValidationException", TableName=plain, Key={"id": {"S": "e"}},
            UpdateExpression=expression, **request)
    assert client.get_item(TableName=plain, Key={"id": {"S": "e"}})["Item"] == {"id": {"S": "e"}, "s": {"S": "text"}}


HOLDS = [
    "attribute_exists(n)", "attribute_not_exists(absent)", "attribute_type(n, :kind)", "begins_with(s, :he)",
    "contains(s, :ell)", "contains(tags, :x)", "contains(l, :one)", "size(s) = :five", "size(l) < :five", "n = :one",
    "n <> :five", "n < :five AND n <= :one", "n > :zero AND n >= :one", "n BETWEEN :zero AND :five",
    "n IN (:five, :one)", "NOT n = :five", "(n = :five OR n = :one) AND NOT (n = :zero)", "m.deep[1] = :one",
]
VALUES = {":kind": {"S": "N"}, ":he": {"S": "he"}, ":ell": {"S": "ell"}, ":x": {"S": "x"}, ":one": {"N": "1"},
          ":five": {"N": "5"}, ":zero": {"N": "0"}}


@pytest.mark.parametrize("condition", HOLDS)
def test_conditions(client, plain, condition):
    item = {"id": {"S": "c"}, "n": {"N": "1"}, "s": {"S": "hello"}, "tags": {"SS": ["x", "y"]}, "l": {"L": [{"N": "1"}]},
            "m": {"M": {"deep": {"L": [{"N": "0"}, {"N": "1"}]}}}}
    client.put_item(TableName=plain, Item=item)
    used = {name: value for name, value in VALUES.items() if name in condition}
    values = {"ExpressionAttributeValues": used} if used else {}
    client.put_item(TableName=plain, Item=item, ConditionExpression=condition, **values)
    answer = refused(client.delete_item, "ConditionalCheckFailedException", "The conditional request failed",
                     TableName=plain, Key={"id": {"S": "c"}}, ConditionExpression=f"NOT ({condition})",
                     ReturnValuesOnConditionCheckFailure="ALL_OLD", **values)
    assert normal(answer["Item"]) == item
    answer = refused(client.update_item, "ConditionalCheckFailedException", TableName=plain, Key={"id": {"S": "c"}},
                     UpdateExpression="REMOVE n", ConditionExpression=f"NOT ({condition})", **values)
    assert "Item" not in answer


def test_a_condition_on_a_missing_item(client, plain):
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as caught:
        client.update_item(TableName=plain, Key={"id": {"S": "none"}}, UpdateExpression="SET a = :v",
                           ConditionExpression="attribute_exists(id)", ExpressionAttributeValues={":v": {"S": "x"}},
                           ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert "Item" not in caught.value.response
    assert "Item" not in client.get_item(TableName=plain, Key={"id": {"S": "none"}})


def test_projections(client, plain):
    client.put_item(TableName=plain, Item=EVERY_TYPE)
    found = client.get_item(TableName=plain, Key={"id": {"S": "every"}},
                            ProjectionExpression="#l[1], #m.deep.er[0], #n, absent",
                            ExpressionAttributeNames={"#l": "list", "#m": "map", "#n": "number"})["Item"]
    assert found == {"list": {"L": [{"N": "1"}]}, "map": {"M": {"deep": {"M": {"er": {"L": [{"BOOL": False}]}}}}},
                     "number": {"N": "-12.5"}}


def test_what_an_item_costs(client, orders):
    key = {"customer": {"S": "c1"}, "order_id": {"S": "o1"}}
    item = key | {"status": {"S": "new"}, "amount": {"N": "10"}, "day": {"S": "mon"}, "product": {"S": "jam"}}

    def units(call, **request):
        found = call(TableName=orders, ReturnConsumedCapacity="INDEXES", **request)["ConsumedCapacity"]
        assert found["TableName"] == orders
        indexes = found.get("GlobalSecondaryIndexes", {}) | found.get("LocalSecondaryIndexes", {})
        return found["CapacityUnits"], found["Table"]["CapacityUnits"], {
            name: one["CapacityUnits"] for name, one in indexes.items()}

    everywhere = {"by_status": 1.0, "by_day": 1.0, "by_product": 1.0, "by_amount": 1.0}
    assert units(client.put_item, Item=item) == (5.0, 1.0, everywhere)
    assert units(client.put_item, Item=item) == (1.0, 1.0, {})
    change = {"UpdateExpression": "SET #s = :s", "ExpressionAttributeNames": {"#s": "status"},
              "ExpressionAttributeValues": {":s": {"S": "paid"}}}
    assert units(client.update_item, Key=key, **change) == (4.0, 1.0, {"by_status": 2.0, "by_amount": 1.0})
    change = {"UpdateExpression": "SET padding = :b", "ExpressionAttributeValues": {":b": {"S": "x" * 2500}}}
    assert units(client.update_item, Key=key, **change) == (9.0, 3.0, {"by_status": 3.0, "by_amount": 3.0})
    assert units(client.get_item, Key=key) == (0.5, 0.5, {})
    assert units(client.get_item, Key=key, ConsistentRead=True) == (1.0, 1.0, {})
    assert units(client.delete_item, Key=key) == (
        11.0, 3.0, {"by_status": 3.0, "by_day": 1.0, "by_product": 1.0, "by_amount": 3.0})
    amount = client.put_item(TableName=orders, Item=item, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]
    assert amount == {"TableName": orders, "CapacityUnits": 5.0}
    assert "ConsumedCapacity" not in client.put_item(TableName=orders, Item=item)


def test_item_collections_are_measured_where_there_is_a_local_index(client, orders):
    answer = client.put_item(TableName=orders, Item={"customer": {"S": "c"}, "order_id": {"S": "o"}},
                             ReturnItemCollectionMetrics="SIZE")
    metrics = answer["ItemCollectionMetrics"]
    assert metrics["ItemCollectionKey"] == {"customer": {"S": "c"}}
    low, high = metrics["SizeEstimateRangeGB"]
    assert 0 <= low < high <= 1


@pytest.mark.parametrize("item", [
    {"other": {"S": "x"}}, {"id": {"N": "1"}}, {"id": {"S": ""}}, {"id": {"S": "x" * 2049}},
    {"id": {"S": "x"}, "s": {"SS": []}}, {"id": {"S": "x"}, "s": {"SS": ["a", "a"]}},
    {"id": {"S": "x"}, "big": {"S": "x" * (400 * 1024)}}, {"id": {"S": "x"}, "nothing": {"NULL": False}},
])
def test_items_that_break_a_rule_are_refused(client, plain, item):
    refused(client.put_item, "ValidationException", TableName=plain, Item=item)


def test_an_item_of_exactly_400_kb_fits(client, plain):
    room = 400 * 1024 - len("id") - len("x") - len("big")
    client.put_item(TableName=plain, Item={"id": {"S": "x"}, "big": {"S": "y" * room}})
    refused(client.put_item, "ValidationException", "Item size has exceeded the maximum allowed size",
            TableName=plain, Item={"id": {"S": "x"}, "big": {"S": "y" * (room + 1)}})


def test_documents_nest_to_32_levels(client, plain):
    def nested(levels):
        value = {"S": "leaf"}
        for _ in range(levels):
            value = {"L": [value]}
        return {"id": {"S": "deep"}, "d": value}

    client.put_item(TableName=plain, Item=nested(31))
    refused(client.put_item, "ValidationException", "Nesting Levels have exceeded supported limits",
            TableName=plain, Item=nested(33))


def test_the_legacy_parameters_still_work(client, plain):
    key = {"id": {"S": "legacy"}}
    client.put_item(TableName=plain, Item=key | {"n": {"N": "1"}}, Expected={"id": {"Exists": False}})
    refused(client.put_item, "ConditionalCheckFailedException", TableName=plain, Item=key,
            Expected={"id": {"Exists": False}})
    found = client.update_item(TableName=plain, Key=key, ReturnValues="ALL_NEW", AttributeUpdates={
        "n": {"Action": "ADD", "Value": {"N": "4"}}, "s": {"Action": "PUT", "Value": {"S": "x"}}},
        Expected={"n": {"ComparisonOperator": "LT", "AttributeValueList": [{"N": "2"}]}})["Attributes"]
    assert found == key | {"n": {"N": "5"}, "s": {"S": "x"}}
    assert client.get_item(TableName=plain, Key=key, AttributesToGet=["n"])["Item"] == {"n": {"N": "5"}}
    found = client.scan(TableName=plain, ScanFilter={
        "n": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "4"}, {"N": "6"}]}})
    assert found["Count"] == 1
    found = client.query(TableName=plain, KeyConditions={
        "id": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "legacy"}]}})
    assert found["Items"] == [key | {"n": {"N": "5"}, "s": {"S": "x"}}]
