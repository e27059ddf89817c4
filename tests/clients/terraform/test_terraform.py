"""Terraform's own aws_dynamodb_table: applied, applied again without a change, changed, destroyed.

Needs the `terraform` program and the AWS provider 5.x in a local folder of plugins (LARDER_TERRAFORM_PLUGINS, or
/opt/tf-plugins), since no registry of this project's ships either; otherwise these tests are skipped, and
`test_provider_calls.py`, which replays the provider's calls, stands for them.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import boto3
import pytest

ENDPOINT = os.environ.get("LARDER_ENDPOINT", "http://127.0.0.1:8000")
PLUGINS = Path(os.environ.get("LARDER_TERRAFORM_PLUGINS", "/opt/tf-plugins"))
COMMAND_SECONDS_MAX = 600


@pytest.fixture(scope="module")
def terraform(tmp_path_factory):
    program = shutil.which("terraform")
    if program is None:
        pytest.skip("terraform is not installed")
    if not PLUGINS.is_dir():
        pytest.skip(f"there is no AWS provider in {PLUGINS}")
    folder = tmp_path_factory.mktemp("terraform")
    shutil.copy(Path(__file__).with_name("main.tf"), folder)
    environment = os.environ | {"TF_IN_AUTOMATION": "1", "CHECKPOINT_DISABLE": "1", "TF_VAR_endpoint": ENDPOINT}
    environment.pop("TF_CLI_CONFIG_FILE", None)

    def run(*words, codes=(0,)):
        done = subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True, text=True,
                              timeout=COMMAND_SECONDS_MAX, stdin=subprocess.DEVNULL)
        assert done.returncode in codes, f"terraform {' '.join(words)}:\n{done.stdout}\n{done.stderr}"
        return done

    run("init", "-no-color", "-input=false", f"-plugin-dir={PLUGINS}")
    return run


@pytest.fixture(scope="module")
def client():
    return boto3.client("dynamodb", endpoint_url=ENDPOINT, region_name="us-east-1", aws_access_key_id="story",
                        aws_secret_access_key="story")


def plan_is_empty(terraform, *variables):
    return terraform("plan", "-no-color", "-input=false", "-detailed-exitcode", *variables, codes=(0, 2)).returncode == 0


def test_the_life_of_two_tables(terraform, client):
    apply = ("apply", "-no-color", "-input=false", "-auto-approve")
    terraform(*apply)
    table = client.describe_table(TableName="tf-orders")["Table"]
    assert [one["IndexName"] for one in table["GlobalSecondaryIndexes"]] == ["by_status"]
    assert json.loads(terraform("output", "-json").stdout)["arn"]["value"] == table["TableArn"]
    live = client.describe_time_to_live(TableName="tf-orders")["TimeToLiveDescription"]
    assert (live["TimeToLiveStatus"], live["AttributeName"]) == ("ENABLED", "expires")
    tags = {tag["Key"]: tag["Value"] for tag in client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]}
    assert tags == {"team": "kitchen", "stage": "test"}
    assert client.scan(TableName="tf-orders")["Count"] == 1
    assert plan_is_empty(terraform), "Terraform sees a difference right after it applied"

    changed = "-var=changed=true"
    terraform(*apply, changed)
    table = client.describe_table(TableName="tf-orders")["Table"]
    assert [one["IndexName"] for one in table["GlobalSecondaryIndexes"]] == ["by_status_and_amount"]
    tags = {tag["Key"]: tag["Value"] for tag in client.list_tags_of_resource(ResourceArn=table["TableArn"])["Tags"]}
    assert tags == {"team": "cellar"}
    item = client.get_item(TableName="tf-orders", Key={"customer": {"S": "c1"}, "order_id": {"S": "o1"}})["Item"]
    assert item["amount"] == {"N": "2"}
    counters = client.describe_table(TableName="tf-counters")["Table"]
    assert counters["ProvisionedThroughput"]["ReadCapacityUnits"] == 7
    assert plan_is_empty(terraform, changed), "Terraform sees a difference right after the change"

    terraform("destroy", "-no-color", "-input=false", "-auto-approve", changed)
    assert client.list_tables()["TableNames"] == []
