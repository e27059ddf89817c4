"""The clients of the story and its tables. Knows where the server is (LARDER_ENDPOINT) and nothing else about it."""

import os
import time

import boto3
import pytest
from botocore.config import Config

ENDPOINT = os.environ.get("LARDER_ENDPOINT", "http://127.0.0.1:8000")
SETTINGS = {
    "endpoint_url": ENDPOINT,
    "region_name": "us-east-1",
    "aws_access_key_id": "story",
    "aws_secret_access_key": "story",
    "config": Config(retries={"mode": "standard", "total_max_attempts": 1}),
}


def string_keys(*names):
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


def schema(hash_name, range_name=None):
    """A key schema of one or two attributes."""
    keys = [{"AttributeName": hash_name, "KeyType": "HASH"}]
    if range_name:
        keys.append({"AttributeName": range_name, "KeyType": "RANGE"})
    return keys


def index(name, keys, projection="ALL", include=None):
    """A global or local index as CreateTable takes it."""
    shown = {"ProjectionType": projection}
    if include:
        shown["NonKeyAttributes"] = include
    return {"IndexName": name, "KeySchema": keys, "Projection": shown}


ORDERS = {
    "TableName": "orders",
    "AttributeDefinitions": [
        *string_keys("customer", "order_id", "status", "day", "product"),
        {"AttributeName": "amount", "AttributeType": "N"},
    ],
    "KeySchema": schema("customer", "order_id"),
    "GlobalSecondaryIndexes": [
        index("by_status", schema("status", "amount")),
        index("by_day", schema("day"), "KEYS_ONLY"),
        index("by_product", schema("product"), "INCLUDE", ["note"]),
    ],
    "LocalSecondaryIndexes": [index("by_amount", schema("customer", "amount"))],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture(scope="session")
def client():
    return boto3.client("dynamodb", **SETTINGS)


@pytest.fixture(scope="session")
def resource():
    return boto3.resource("dynamodb", **SETTINGS)


@pytest.fixture
def make(client):
    """Creates tables that are gone after the test."""
    made = []

    def create(**request):
        client.create_table(**request)
        made.append(request["TableName"])
        client.get_waiter("table_exists").wait(TableName=request["TableName"], WaiterConfig={"Delay": 1})
        return request["TableName"]

    yield create
    for name in made:
        try:
            client.delete_table(TableName=name)
        except client.exceptions.ResourceNotFoundException:
            continue
        client.get_waiter("table_not_exists").wait(TableName=name, WaiterConfig={"Delay": 1})


@pytest.fixture
def orders(make):
    """A table with a sort key, three global indexes and a local one."""
    return make(**ORDERS)


@pytest.fixture
def plain(make):
    """A table with nothing but a partition key `id`."""
    return make(TableName="plain", AttributeDefinitions=string_keys("id"), KeySchema=schema("id"),
                BillingMode="PAY_PER_REQUEST")


def until(ready, seconds=30.0):
    """Polls until `ready` returns something true, and returns that."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = ready()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"not ready after {seconds:.0f} s")


def refused(call, code, text=None, **request):
    """Runs a call that the service refuses, and returns the whole answer."""
    from botocore.exceptions import ClientError

    with pytest.raises(ClientError) as caught:
        call(**request)
    answer = caught.value.response
    assert answer["Error"]["Code"] == code, answer
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 400
    if text is not None:
        assert text in answer["Error"]["Message"], answer
    return answer
