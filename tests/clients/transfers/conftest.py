"""Servers of these tests' own, because they are killed and their buckets are looked into; and ways to ask them."""

import json
import sys
import time
from decimal import Decimal
from pathlib import Path

import boto3
import pytest
from botocore.config import Config

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from serve import Server  # noqa: E402

WAIT_SECONDS_MAX = 120.0
KEYS = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
ATTRIBUTES = [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "N"}]
BY_CITY = {"IndexName": "by_city", "KeySchema": [{"AttributeName": "city", "KeyType": "HASH"}],
           "Projection": {"ProjectionType": "ALL"}}


def definition(name, with_index=False):
    """What CreateTable and ImportTable ask for of a table."""
    asked = {"TableName": name, "KeySchema": KEYS, "AttributeDefinitions": list(ATTRIBUTES),
             "BillingMode": "PAY_PER_REQUEST"}
    if with_index:
        asked["AttributeDefinitions"].append({"AttributeName": "city", "AttributeType": "S"})
        asked["GlobalSecondaryIndexes"] = [BY_CITY]
    return asked


def item(number):
    """An item with every type."""
    return {
        "pk": {"S": f"p{number % 17}"}, "sk": {"N": str(number)}, "city": {"S": f"c{number % 5}"},
        "text": {"S": f"“{number}”, ü\n"}, "long": {"N": "-1234567890.1234567890123456789012345678"},
        "bytes": {"B": bytes([number % 256, 0, 255])}, "yes": {"BOOL": number % 2 == 0}, "none": {"NULL": True},
        "strings": {"SS": ["a", "b"]}, "numbers": {"NS": ["1", "2.5"]}, "binaries": {"BS": [b"x", b"\x00"]},
        "list": {"L": [{"N": "1"}, {"M": {"deep": {"L": []}}}]}, "map": {"M": {"empty": {"S": ""}}},
    }


class World:
    """A server with a folder of its own, and a client of it."""

    def __init__(self, folder, options=()):
        self.folder = Path(folder)
        self.server = Server(self.folder / "data", options=["--no-console", *options])
        self.client = None

    def start(self):
        self.server.start()
        self.client = boto3.client(
            "dynamodb", endpoint_url=self.server.endpoint, region_name="us-east-1", aws_access_key_id="story",
            aws_secret_access_key="story", config=Config(retries={"mode": "standard", "total_max_attempts": 1}))
        return self

    def bucket(self, name="files"):
        """The folder of a bucket, made if it is not there."""
        path = self.server.data_dir / "buckets" / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def objects(self, name="files"):
        root = self.bucket(name)
        return {str(path.relative_to(root)): path for path in sorted(root.rglob("*")) if path.is_file()}

    def make(self, name, numbers=(), with_index=False):
        """A table with recovery on and these items."""
        self.client.create_table(**definition(name, with_index))
        self.client.update_continuous_backups(
            TableName=name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
        self.put(name, [item(number) for number in numbers])
        return self.client.describe_table(TableName=name)["Table"]["TableArn"]

    def put(self, name, items):
        for first in range(0, len(items), 25):
            writes = [{"PutRequest": {"Item": one}} for one in items[first:first + 25]]
            self.client.batch_write_item(RequestItems={name: writes})

    def scan(self, name, **more):
        """All items of a table by their keys."""
        pages = self.client.get_paginator("scan").paginate(TableName=name, ConsistentRead="IndexName" not in more, **more)
        return {(one["pk"]["S"], Decimal(one["sk"]["N"])): comparable(one) for page in pages for one in page["Items"]}

    def export(self, arn, **more):
        """An export, carried out."""
        asked = {"TableArn": arn, "S3Bucket": "files"} | more
        return self.exported(self.client.export_table_to_point_in_time(**asked)["ExportDescription"]["ExportArn"])

    def exported(self, arn):
        return ended(lambda: self.client.describe_export(ExportArn=arn)["ExportDescription"], "ExportStatus")

    def import_table(self, name, prefix="", with_index=False, **more):
        """An import, carried out."""
        asked = {"S3BucketSource": {"S3Bucket": "files", "S3KeyPrefix": prefix}, "InputFormat": "DYNAMODB_JSON",
                 "TableCreationParameters": definition(name, with_index)} | more
        return self.imported(self.client.import_table(**asked)["ImportTableDescription"]["ImportArn"])

    def imported(self, arn):
        return ended(lambda: self.client.describe_import(ImportArn=arn)["ImportTableDescription"], "ImportStatus")

    def start_bulk(self, name, prefix, **more):
        asked = {"TableName": name,
                 "InputS3Configuration": {"S3Bucket": "files", "S3KeyPrefix": prefix, "InputFormat": "DYNAMODB_JSON"},
                 "OutputS3Configuration": {"S3Bucket": "reports", "OutputType": ["ERROR", "CONDITION_CHECK_FAILURE"]}}
        return self.client.start_bulk_put_items(**(asked | more))["BulkOperationDescription"]

    def describe_bulk(self, arn):
        return self.client.describe_bulk_operation(BulkOperationArn=arn)["BulkOperationDescription"]

    def bulk(self, name, prefix, **more):
        """A bulk operation, carried out."""
        arn = self.start_bulk(name, prefix, **more)["BulkOperationArn"]
        return ended(lambda: self.describe_bulk(arn), "BulkOperationStatus")


def comparable(one):
    """An item with its sets in order."""
    return {name: {kind: sorted(value) if kind in ("SS", "NS", "BS") else value for kind, value in typed.items()}
            for name, typed in one.items()}


def ended(describe, status):
    """The description of a job that has ended."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while time.monotonic() < deadline:
        described = describe()
        if described[status] not in ("IN_PROGRESS", "CANCELLING"):
            return described
        time.sleep(0.02)
    raise AssertionError(f"it did not end in {WAIT_SECONDS_MAX:.0f} s: {described}")


def line(number, **more):
    """An item as a line of DynamoDB JSON."""
    one = {"pk": {"S": f"p{number % 17}"}, "sk": {"N": str(number)}, "city": {"S": f"c{number % 5}"}}
    return json.dumps({"Item": one} | more) + "\n"


@pytest.fixture
def make_world(tmp_path):
    made = []

    def make(*options):
        world = World(tmp_path / f"server{len(made)}", options)
        world.folder.mkdir()
        made.append(world)
        return world.start()

    yield make
    for world in made:
        if world.server.alive():
            assert world.server.stop() == 0, world.server.log()


@pytest.fixture
def world(make_world):
    return make_world()
