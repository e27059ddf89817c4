"""Tags, time to live, limits, endpoints, backups, and the errors that any call can meet."""

import http.client
import json
import zlib
from urllib.parse import urlsplit

import pytest
from conftest import ENDPOINT, refused


def arn(client, name):
    return client.describe_table(TableName=name)["Table"]["TableArn"]


def test_tags_are_set_replaced_listed_and_removed(client, plain):
    resource = arn(client, plain)
    assert client.list_tags_of_resource(ResourceArn=resource)["Tags"] == []
    client.tag_resource(ResourceArn=resource, Tags=[{"Key": "a", "Value": "1"}, {"Key": "b", "Value": ""}])
    client.tag_resource(ResourceArn=resource, Tags=[{"Key": "a", "Value": "2"}, {"Key": "c", "Value": "3"}])
    pages = client.get_paginator("list_tags_of_resource").paginate(ResourceArn=resource)
    tags = {tag["Key"]: tag["Value"] for page in pages for tag in page["Tags"]}
    assert tags == {"a": "2", "b": "", "c": "3"}
    client.untag_resource(ResourceArn=resource, TagKeys=["a", "never"])
    tags = client.list_tags_of_resource(ResourceArn=resource)["Tags"]
    assert {tag["Key"] for tag in tags} == {"b", "c"}
    refused(client.tag_resource, "ResourceNotFoundException", ResourceArn=resource + "-absent",
            Tags=[{"Key": "a", "Value": "1"}])


def test_time_to_live_is_set_and_described(client, plain):
    assert client.describe_time_to_live(TableName=plain)["TimeToLiveDescription"] == {"TimeToLiveStatus": "DISABLED"}
    wanted = {"Enabled": True, "AttributeName": "expires"}
    answer = client.update_time_to_live(TableName=plain, TimeToLiveSpecification=wanted)
    assert answer["TimeToLiveSpecification"] == wanted
    found = client.describe_time_to_live(TableName=plain)["TimeToLiveDescription"]
    assert found["TimeToLiveStatus"] in ("ENABLING", "ENABLED")
    assert found["AttributeName"] == "expires"
    refused(client.update_time_to_live, "ValidationException", TableName=plain, TimeToLiveSpecification=wanted)
    refused(client.describe_time_to_live, "ResourceNotFoundException", TableName="absent")


def test_the_account_has_limits(client):
    limits = client.describe_limits()
    assert limits["AccountMaxReadCapacityUnits"] == 80000
    assert limits["AccountMaxWriteCapacityUnits"] == 80000
    assert limits["TableMaxReadCapacityUnits"] == 40000
    assert limits["TableMaxWriteCapacityUnits"] == 40000


def test_endpoints_are_described(client):
    (endpoint,) = client.describe_endpoints()["Endpoints"]
    assert endpoint["Address"]
    assert endpoint["CachePeriodInMinutes"] == 1440


def test_backups_are_described_as_they_are(client, plain):
    found = client.describe_continuous_backups(TableName=plain)["ContinuousBackupsDescription"]
    assert found["ContinuousBackupsStatus"] == "ENABLED"
    assert found["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "DISABLED"
    refused(client.describe_continuous_backups, "TableNotFoundException", TableName="absent")


@pytest.mark.parametrize(("operation", "request_"), [
    ("put_item", {"Item": {"id": {"S": "a"}}}),
    ("get_item", {"Key": {"id": {"S": "a"}}}),
    ("update_item", {"Key": {"id": {"S": "a"}}}),
    ("delete_item", {"Key": {"id": {"S": "a"}}}),
    ("query", {"KeyConditionExpression": "id = :v", "ExpressionAttributeValues": {":v": {"S": "a"}}}),
    ("scan", {}),
    ("describe_table", {}),
    ("delete_table", {}),
    ("update_table", {"DeletionProtectionEnabled": True}),
])
def test_a_missing_table_is_not_found(client, operation, request_):
    answer = refused(getattr(client, operation), "ResourceNotFoundException", "Requested resource not found",
                     TableName="absent", **request_)
    assert len(answer["ResponseMetadata"]["RequestId"]) == 52


@pytest.mark.parametrize("key", [{}, {"other": {"S": "a"}}, {"id": {"N": "1"}}, {"id": {"S": "a"}, "more": {"S": "a"}}])
def test_a_key_that_does_not_fit_is_refused(client, plain, key):
    refused(client.get_item, "ValidationException", TableName=plain, Key=key)
    refused(client.delete_item, "ValidationException", TableName=plain, Key=key)


def raw(target, body, headers=None):
    """One request past any SDK: status, headers, body bytes."""
    place = urlsplit(ENDPOINT)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=10)
    sent = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": target, "X-Amz-Date": "20260101T000000Z",
            "Authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, "
                             "SignedHeaders=host;x-amz-date;x-amz-target, Signature=00"}
    try:
        connection.request("POST", "/", body, sent | (headers or {}))
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def test_an_unknown_operation_is_refused_by_name():
    for target in ("DynamoDB_20120810.FryEgg", "Nonsense", "DynamoDB_19990101.ListTables"):
        status, _, body = raw(target, b"{}")
        assert status == 400
        assert json.loads(body)["__type"] == "com.amazon.coral.service#UnknownOperationException"


def test_every_answer_carries_a_checksum_and_an_id():
    for body in (b"{}", b'{"Limit": 0}', b"{"):
        status, headers, answer = raw("DynamoDB_20120810.ListTables", body)
        assert status == (200 if body == b"{}" else 400)
        assert int(headers["x-amz-crc32"]) == zlib.crc32(answer)
        assert headers["content-type"] == "application/x-amz-json-1.0"
        assert len(headers["x-amzn-requestid"]) == 52
        assert int(headers["content-length"]) == len(answer)
        assert "content-encoding" not in headers


def test_broken_json_is_a_serialization_error():
    status, _, body = raw("DynamoDB_20120810.ListTables", b'{"Limit": ')
    assert (status, json.loads(body)["__type"]) == (400, "com.amazon.coral.service#SerializationException")


def test_any_region_and_any_credentials_see_the_same_database(client, plain):
    import boto3

    client.put_item(TableName=plain, Item={"id": {"S": "shared"}})
    other = boto3.client("dynamodb", endpoint_url=ENDPOINT, region_name="eu-central-2",
                         aws_access_key_id="someone-else!", aws_secret_access_key="?")
    assert other.get_item(TableName=plain, Key={"id": {"S": "shared"}})["Item"] == {"id": {"S": "shared"}}
