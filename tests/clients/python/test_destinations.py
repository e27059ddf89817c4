"""Changes delivered to a data stream. What stands in for Kinesis here takes the two calls that a delivery makes, and
refuses every third record once, as the service does when it is busy."""

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
import sys

import boto3
import pytest
from botocore.exceptions import ClientError
from conftest import SETTINGS, schema, string_keys

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from serve import Server  # noqa: E402

STREAM = "arn:aws:kinesis:us-east-1:000000000000:stream/changes"
WAIT_SECONDS = 30


class Kinesis(ThreadingHTTPServer):
    """Keeps what it is given."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Call)
        self.records = []
        self.refused = set()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.server_port}"

    def take(self, record):
        change = json.loads(base64.b64decode(record["Data"]))
        if len(self.records) % 3 == 2 and change["eventID"] not in self.refused:
            self.refused.add(change["eventID"])
            return {"ErrorCode": "ProvisionedThroughputExceededException", "ErrorMessage": "busy"}
        self.records.append((record["PartitionKey"], change))
        return {"SequenceNumber": str(len(self.records)), "ShardId": "shardId-000000000000"}


class Call(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        operation = self.headers["X-Amz-Target"].removeprefix("Kinesis_20131202.")
        assert self.headers["Content-Type"] == "application/x-amz-json-1.1"
        if body["StreamARN"] != STREAM:
            status, answer = 400, {"__type": "ResourceNotFoundException", "message": "Stream not found"}
        elif operation == "PutRecords":
            results = [self.server.take(record) for record in body["Records"]]
            failed = sum("ErrorCode" in result for result in results)
            status, answer = 200, {"FailedRecordCount": failed, "Records": results}
        else:
            status, answer = 200, {"StreamDescriptionSummary": {"StreamARN": STREAM, "StreamStatus": "ACTIVE"}}
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


@pytest.fixture
def kinesis():
    server = Kinesis()
    yield server
    server.shutdown()


@pytest.fixture
def larder(kinesis, tmp_path):
    server = Server(tmp_path / "data", options=["--kinesis-endpoint", kinesis.endpoint])
    server.start()
    yield server
    if server.alive():
        server.kill()


def connect(server):
    return boto3.client("dynamodb", **{**SETTINGS, "endpoint_url": server.endpoint})


def until(ready):
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        if ready():
            return
        time.sleep(0.02)
    raise AssertionError("not ready in time")


def status(client, stream=STREAM):
    found = client.describe_kinesis_streaming_destination(TableName="people")["KinesisDataStreamDestinations"]
    return {one["StreamArn"]: one["DestinationStatus"] for one in found}.get(stream)


def create(client):
    client.create_table(
        TableName="people", AttributeDefinitions=string_keys("pk"), KeySchema=schema("pk"), BillingMode="PAY_PER_REQUEST"
    )


def test_changes_arrive_in_order_also_across_kill_9(kinesis, larder):
    client = connect(larder)
    create(client)
    client.put_item(TableName="people", Item={"pk": {"S": "before"}})
    answer = client.enable_kinesis_streaming_destination(TableName="people", StreamArn=STREAM)
    assert answer["DestinationStatus"] == "ENABLING"
    for version in range(1, 41):
        client.put_item(TableName="people", Item={"pk": {"S": str(version % 4)}, "version": {"N": str(version)}})
        if version == 25:
            larder.kill()
            larder.start()
    until(lambda: len({change["eventID"] for _, change in kinesis.records}) == 40)
    assert status(client) == "ACTIVE"
    versions, keys = {}, {}
    for partition, change in kinesis.records:
        body = change["dynamodb"]
        key, version = body["Keys"]["pk"]["S"], int(body["NewImage"]["version"]["N"])
        assert change["tableName"] == "people" and change["recordFormat"] == "application/json"
        assert keys.setdefault(key, partition) == partition
        versions.setdefault(key, []).append(version)
    for seen in versions.values():
        assert sorted(set(seen)) == sorted(dict.fromkeys(seen)), "each version once, apart from what was sent again"


def test_the_state_of_a_destination(kinesis, larder):
    client = connect(larder)
    create(client)
    client.enable_kinesis_streaming_destination(TableName="people", StreamArn=STREAM)
    until(lambda: status(client) == "ACTIVE")
    with pytest.raises(ClientError, match="must be DISABLED or ENABLE_FAILED"):
        client.enable_kinesis_streaming_destination(TableName="people", StreamArn=STREAM)
    finer = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}
    client.update_kinesis_streaming_destination(
        TableName="people", StreamArn=STREAM, UpdateKinesisStreamingConfiguration=finer
    )
    client.put_item(TableName="people", Item={"pk": {"S": "a"}})
    until(lambda: kinesis.records)
    body = kinesis.records[0][1]["dynamodb"]
    assert body["ApproximateCreationDateTimePrecision"] == "MICROSECOND"
    assert abs(body["ApproximateCreationDateTime"] / 1e6 - time.time()) < 60
    client.disable_kinesis_streaming_destination(TableName="people", StreamArn=STREAM)
    until(lambda: status(client) == "DISABLED")
    missing = STREAM + "-elsewhere"
    client.enable_kinesis_streaming_destination(TableName="people", StreamArn=missing)
    until(lambda: status(client, missing) == "ENABLE_FAILED")


def test_without_an_endpoint_nothing_is_promised(client, make):
    make(TableName="undelivered", AttributeDefinitions=string_keys("pk"), KeySchema=schema("pk"), BillingMode="PAY_PER_REQUEST")
    with pytest.raises(ClientError, match="--kinesis-endpoint"):
        client.enable_kinesis_streaming_destination(TableName="undelivered", StreamArn=STREAM)
