"""The verbs on the five designs against a running server: twice is the same as once, and what is wrong changes nothing."""

import json
import re

import boto3
import pytest

from conftest import DESIGNS, ROOT, Larder, design_file

AS_WRITTEN = sorted((ROOT / "crates/design/tests/as_written").glob("*.design.yaml"))


def client(endpoint):
    return boto3.client("dynamodb", endpoint_url=endpoint, region_name="us-east-1",
                        aws_access_key_id="story", aws_secret_access_key="story")


def everything(endpoint):
    """All tables with their descriptions, without what a read of them changes."""
    dynamodb = client(endpoint)
    tables = {}
    for name in dynamodb.list_tables()["TableNames"]:
        described = dynamodb.describe_table(TableName=name)["Table"]
        items = dynamodb.get_paginator("scan").paginate(TableName=name).build_full_result()["Items"]
        kept = {key: value for key, value in described.items() if key not in ("ItemCount", "TableSizeBytes")}
        for index in kept.get("GlobalSecondaryIndexes", []) + kept.get("LocalSecondaryIndexes", []):
            index.pop("ItemCount", None)
            index.pop("IndexSizeBytes", None)
        ttl = dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"]
        tags = dynamodb.list_tags_of_resource(ResourceArn=described["TableArn"])["Tags"]
        tables[name] = (kept, ttl, tags, sorted(map(str, items)))
    return tables


def test_all_five_pass_in_memory():
    said = Larder()("test", *[design_file(name) for name in DESIGNS])
    assert "FAIL" not in said, said


@pytest.mark.parametrize("name", DESIGNS)
def test_deploy_seed_run_twice(larder, name):
    file = design_file(name)
    for _ in range(2):
        larder.at("deploy", file)
        larder.at("seed", file)
        larder.at("run", file)
    before = everything(larder.endpoint)
    assert before, "a table was made"
    larder.at("deploy", file)
    assert everything(larder.endpoint) == before, "a further deploy changed something"


@pytest.mark.parametrize("name", DESIGNS)
def test_what_was_deployed_does_not_drift(larder, name):
    """Only what the deployment said it left out may be missing."""
    file = design_file(name)
    deployed = larder.run("deploy", file, "--endpoint", larder.endpoint)
    assert deployed.returncode == 0, deployed.stderr
    drift = json.loads(larder.run("drift", file, "--endpoint", larder.endpoint, "--json").stdout)["drift"]
    assert [row for row in drift if row["what"] not in deployed.stderr] == []


@pytest.mark.parametrize("path", AS_WRITTEN, ids=lambda path: path.name.split(".")[0])
def test_a_wrong_file_changes_nothing(larder, path):
    checked = larder.run("check", path)
    assert checked.returncode == 1 and "error" in checked.stdout + checked.stderr
    deployed = larder.run("deploy", path, "--endpoint", larder.endpoint)
    assert deployed.returncode != 0
    assert everything(larder.endpoint) == {}


def test_the_template_of_the_stock_document_deploys_as_it_stands(larder):
    template = ROOT / "designs/stock-price-cache.template.yaml"
    larder.at("deploy", template)
    described, ttl, tags, _ = everything(larder.endpoint)["stock-price-cache"]
    assert [key["AttributeName"] for key in described["KeySchema"]] == ["symbol", "dataType"]
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert ttl == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
    assert {tag["Key"]: tag["Value"] for tag in tags} == {
        "Project": "VirtualStockTrading", "Component": "StockPriceCache", "ManagedBy": "Teammate"}
    before = everything(larder.endpoint)
    larder.at("deploy", design_file("stock-price-cache"))
    assert everything(larder.endpoint) == before, "template and design describe the same table"


def test_the_other_environment_is_another_table(larder):
    larder.at("deploy", design_file("stock-price-cache"), "--env", "testing")
    described = everything(larder.endpoint)["stock-price-cache-testing"][0]
    assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 5


def test_indexes_arrive_one_at_a_time(larder):
    """A table that has lost its indexes gets them back by updates, not by a new table."""
    dynamodb = client(larder.endpoint)
    text = [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")]
    dynamodb.create_table(
        TableName="smart-cooking-data-dev", AttributeDefinitions=text, BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}])
    dynamodb.get_waiter("table_exists").wait(TableName="smart-cooking-data-dev", WaiterConfig={"Delay": 1})
    file = design_file("smart-cooking")
    drifted = larder.run("drift", file, "--endpoint", larder.endpoint)
    assert drifted.returncode == 1 and "GSI3" in drifted.stdout
    larder.at("seed", file)
    larder.at("deploy", file)
    larder.at("run", file)


def test_no_index_is_dropped_unasked(larder):
    file = design_file("nishiki")
    larder.at("deploy", file)
    dynamodb = client(larder.endpoint)
    name = "nishiki-table-dev-db"
    dynamodb.update_table(
        TableName=name, AttributeDefinitions=[{"AttributeName": "Extra", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[{"Create": {
            "IndexName": "Extra", "KeySchema": [{"AttributeName": "Extra", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"}}}])
    larder.run("deploy", file, "--endpoint", larder.endpoint)
    indexes = dynamodb.describe_table(TableName=name)["Table"]["GlobalSecondaryIndexes"]
    assert "Extra" in [index["IndexName"] for index in indexes]


def test_a_server_starts_with_all_five(tmp_path):
    from serve import Server

    files = [argument for name in DESIGNS for argument in ("--design", str(design_file(name)))]
    server = Server(tmp_path / "data", options=files)
    server.start()
    try:
        larder = Larder(server.endpoint)
        assert len(everything(server.endpoint)) == 5
        for name in DESIGNS:
            larder.at("run", design_file(name))
    finally:
        assert server.stop() == 0


@pytest.mark.parametrize("name", DESIGNS)
def test_peers_run_the_designs_too(peer, name):
    """A peer may lack an operation: that is a warning. What it has must give the same answers."""
    peer_name, larder = peer
    file = design_file(name)
    deployed = larder.run("deploy", file, "--endpoint", larder.endpoint)
    assert deployed.returncode == 0, deployed.stderr
    if peer_name == "dynalite" and name == "lunch-cache":
        assert "UpdateTimeToLive" in deployed.stderr, "what a peer lacks is a warning"
    larder.at("seed", file)
    ran = json.loads(larder.run("run", file, "--endpoint", larder.endpoint, "--json").stdout)
    failed = [pattern for pattern in ran["designs"][0]["patterns"] if not pattern["passed"]]
    wrong = [pattern for pattern in failed if pattern["got"] != "UnknownOperationException"]
    assert wrong == []
    assert peer_name == "dynalite" or failed == []
    assert all(pattern["operations"] == ["TransactWriteItems"] for pattern in failed)


# Dollars a month at most: the documents' own claims where they make one, else what the design came to when it was written.
COSTS = {"lunch-cache": 5, "stock-price-cache": 0.30, "nishiki": 25, "smart-cooking": 25, "aura-historia": 10}


@pytest.mark.parametrize("name", DESIGNS)
def test_the_bill_is_known_in_advance(name):
    said = Larder()("cost", design_file(name))
    total = re.search(r"total \$([0-9.]+)/month", said)
    assert total and 0 < float(total.group(1)) < COSTS[name], said
