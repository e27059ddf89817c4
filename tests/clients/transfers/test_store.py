"""Buckets of a real S3-compatible server (moto's) instead of folders."""

import os
import subprocess
import sys
import time

import boto3
import pytest
from conftest import line
from serve import free_port, healthy

CREDENTIALS = {"AWS_ACCESS_KEY_ID": "story", "AWS_SECRET_ACCESS_KEY": "story", "AWS_REGION": "us-east-1"}


@pytest.fixture
def store():
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not healthy(port):
        assert process.poll() is None and time.monotonic() < deadline, "the store did not start"
        time.sleep(0.05)
    yield f"http://127.0.0.1:{port}"
    process.kill()
    process.wait()


def test_exports_and_imports_through_a_store(store, make_world, monkeypatch):
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_SESSION_TOKEN", raising=False)
    client = boto3.client("s3", endpoint_url=store, region_name="us-east-1")
    for bucket in ("files", "reports"):
        client.create_bucket(Bucket=bucket)
    client.put_object(Bucket="files", Key="in/one.json", Body="".join(line(number) for number in range(500)))
    world = make_world("--s3-endpoint", store)
    assert store in world.server.log()

    done = world.import_table("people", prefix="in/", with_index=True)
    assert (done["ImportStatus"], done["ImportedItemCount"]) == ("COMPLETED", 500), done
    world.client.update_continuous_backups(
        TableName="people", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    source = world.client.describe_table(TableName="people")["Table"]["TableArn"]
    done = world.export(source, S3Prefix="out", S3SseAlgorithm="AES256")
    assert (done["ExportStatus"], done["ItemCount"]) == ("COMPLETED", 500), done
    assert client.head_object(Bucket="files", Key=done["ExportManifest"])["ContentLength"] > 0
    done = world.import_table("copy", prefix="out/", with_index=True, InputCompressionType="GZIP")
    assert done["ImportedItemCount"] == 500, done
    assert world.scan("copy") == world.scan("people")

    client.put_object(Bucket="files", Key="bulk/one.json", Body=line(1) + "not JSON\n")
    done = world.bulk("people", "bulk/")
    assert done["BulkOperationStatus"] == "COMPLETED_WITH_ERRORS", done
    keys = [one["Key"] for one in client.list_objects_v2(Bucket="reports")["Contents"]]
    assert any("/ERROR/" in key for key in keys), keys

    done = world.export(source, S3Bucket="missing")
    assert (done["ExportStatus"], done["FailureCode"]) == ("FAILED", "S3NoSuchBucket"), done
    done = world.import_table("none", S3BucketSource={"S3Bucket": "missing"})
    assert (done["ImportStatus"], done["FailureCode"]) == ("FAILED", "S3NoSuchBucket"), done
    assert os.listdir(world.server.data_dir).count("buckets") == 0
