"""TransactWriteItems and TransactGetItems: all or nothing, reasons in order, tokens, costs."""

import pytest
from conftest import refused


def key(name):
    return {"id": {"S": name}}


def put(table, name, **more):
    return {"Put": {"TableName": table, "Item": key(name) | more}}


def test_every_action_in_one_transaction(client, plain, orders):
    client.put_item(TableName=plain, Item=key("gone"))
    client.put_item(TableName=plain, Item=key("counter") | {"n": {"N": "1"}})
    client.put_item(TableName=plain, Item=key("guard"))
    answer = client.transact_write_items(ReturnConsumedCapacity="TOTAL", TransactItems=[
        put(orders, "x", customer={"S": "c"}, order_id={"S": "o"}, note={"S": "n"}),
        {"Update": {"TableName": plain, "Key": key("counter"), "UpdateExpression": "SET n = n + :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}}}},
        {"Delete": {"TableName": plain, "Key": key("gone"), "ConditionExpression": "attribute_exists(id)"}},
        {"ConditionCheck": {"TableName": plain, "Key": key("guard"), "ConditionExpression": "attribute_exists(id)"}},
    ])
    costs = {one["TableName"]: one["CapacityUnits"] for one in answer["ConsumedCapacity"]}
    assert costs == {plain: 6.0, orders: 2.0}
    found = client.transact_get_items(ReturnConsumedCapacity="TOTAL", TransactItems=[
        {"Get": {"TableName": plain, "Key": key("counter")}},
        {"Get": {"TableName": plain, "Key": key("gone")}},
        {"Get": {"TableName": orders, "Key": {"customer": {"S": "c"}, "order_id": {"S": "o"}},
                 "ProjectionExpression": "note"}},
    ])
    assert found["Responses"] == [{"Item": key("counter") | {"n": {"N": "2"}}}, {}, {"Item": {"note": {"S": "n"}}}]
    costs = {one["TableName"]: one["CapacityUnits"] for one in found["ConsumedCapacity"]}
    assert costs == {plain: 4.0, orders: 2.0}
    units = {one["TableName"]: one["ReadCapacityUnits"] for one in found["ConsumedCapacity"]}
    assert units == costs


def test_a_cancelled_transaction_changes_nothing_and_says_why_in_order(client, plain):
    client.put_item(TableName=plain, Item=key("held") | {"n": {"N": "1"}})
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.transact_write_items(TransactItems=[
            put(plain, "new"),
            {"Put": {"TableName": plain, "Item": key("held"), "ConditionExpression": "attribute_not_exists(id)",
                     "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
            {"Update": {"TableName": plain, "Key": key("other"), "UpdateExpression": "SET a = :v",
                        "ExpressionAttributeValues": {":v": {"S": "x"}}}},
            {"Delete": {"TableName": plain, "Key": key("none"), "ConditionExpression": "attribute_exists(id)"}},
        ])
    answer = caught.value.response
    assert answer["Error"]["Message"] == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        "[None, ConditionalCheckFailed, None, ConditionalCheckFailed]")
    reasons = answer["CancellationReasons"]
    assert [one["Code"] for one in reasons] == ["None", "ConditionalCheckFailed", "None", "ConditionalCheckFailed"]
    assert reasons[1]["Message"] == "The conditional request failed"
    assert reasons[1]["Item"] == key("held") | {"n": {"N": "1"}}
    assert "Item" not in reasons[3]
    assert client.scan(TableName=plain)["Items"] == [key("held") | {"n": {"N": "1"}}]


def test_a_wrong_type_cancels_with_a_validation_reason(client, plain):
    client.put_item(TableName=plain, Item=key("text") | {"s": {"S": "x"}})
    answer = refused(client.transact_write_items, "TransactionCanceledException", TransactItems=[
        put(plain, "new"),
        {"Update": {"TableName": plain, "Key": key("text"), "UpdateExpression": "SET s = s + :one",
                    "ExpressionAttributeValues": {":one": {"N": "1"}}}}])
    assert [one["Code"] for one in answer["CancellationReasons"]] == ["None", "ValidationError"]
    assert "Item" not in client.get_item(TableName=plain, Key=key("new"))


def test_a_token_makes_a_transaction_happen_once(client, plain):
    def add(amount):
        return client.transact_write_items(ClientRequestToken="token-of-this-story", TransactItems=[
            {"Update": {"TableName": plain, "Key": key("sum"), "UpdateExpression": "ADD n :n",
                        "ExpressionAttributeValues": {":n": {"N": amount}}}}], ReturnConsumedCapacity="TOTAL")

    first = add("5")["ConsumedCapacity"][0]
    assert (first["CapacityUnits"], first["WriteCapacityUnits"]) == (2.0, 2.0)
    again = add("5")["ConsumedCapacity"][0]
    assert again["ReadCapacityUnits"] == 2.0
    assert client.get_item(TableName=plain, Key=key("sum"))["Item"]["n"] == {"N": "5"}
    refused(add, "IdempotentParameterMismatchException", amount="6")
    assert client.get_item(TableName=plain, Key=key("sum"))["Item"]["n"] == {"N": "5"}


def test_a_transaction_has_at_most_100_actions(client, plain):
    client.transact_write_items(TransactItems=[put(plain, f"i{n}") for n in range(100)])
    gets = [{"Get": {"TableName": plain, "Key": key(f"i{n}")}} for n in range(101)]
    found = client.transact_get_items(TransactItems=gets[:100])["Responses"]
    assert [one["Item"] for one in found] == [key(f"i{n}") for n in range(100)]
    refused(client.transact_get_items, "ValidationException", TransactItems=gets)
    refused(client.transact_write_items, "ValidationException", TransactItems=[put(plain, f"j{n}") for n in range(101)])
    assert client.scan(TableName=plain, Select="COUNT")["Count"] == 100


def test_one_item_may_be_named_once(client, plain):
    refused(client.transact_write_items, "ValidationException",
            "Transaction request cannot include multiple operations on one item",
            TransactItems=[put(plain, "a"), {"Delete": {"TableName": plain, "Key": key("a")}}])


def test_a_missing_table_refuses_the_transaction(client, plain):
    refused(client.transact_write_items, "ResourceNotFoundException",
            TransactItems=[put(plain, "a"), put("absent", "a")])
    assert client.scan(TableName=plain)["Count"] == 0
