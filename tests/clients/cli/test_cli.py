"""The AWS command line: the story over all operations, as a person types it.

Every command is a process of its own, so the story is one walk through the operations and not a search of corners.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

ENDPOINT = os.environ.get("LARDER_ENDPOINT", "http://127.0.0.1:8000")
AWS = Path(sys.executable).with_name("aws")
TABLE = ("--table-name", "orders")
COMMAND_SECONDS_MAX = 120


def run(*words, endpoint=ENDPOINT, region="us-east-1"):
    """One command: its exit code, its output and its complaint."""
    program = str(AWS) if AWS.exists() else shutil.which("aws")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment |= {"AWS_ACCESS_KEY_ID": "story", "AWS_SECRET_ACCESS_KEY": "story", "AWS_CONFIG_FILE": os.devnull,
                    "AWS_SHARED_CREDENTIALS_FILE": os.devnull, "AWS_PAGER": "", "AWS_MAX_ATTEMPTS": "1"}
    if endpoint:
        environment["AWS_ENDPOINT_URL"] = endpoint
    return subprocess.run([program, "--region", region, "--output", "json", "dynamodb", *words], env=environment,
                          capture_output=True, text=True, timeout=COMMAND_SECONDS_MAX, stdin=subprocess.DEVNULL)


def aws(*words, **how):
    """A command that works; its answer."""
    done = run(*words, **how)
    assert done.returncode == 0, f"aws dynamodb {' '.join(words)}: {done.stderr}"
    return json.loads(done.stdout) if done.stdout.strip() else None


def refused(error, *words):
    """A command that the server refuses with this error."""
    done = run(*words)
    assert done.returncode not in (0, None), done.stdout
    assert f"({error})" in done.stderr, done.stderr
    return done.stderr


def compact(value):
    return json.dumps(value, separators=(",", ":"))


@pytest.fixture(scope="module", autouse=True)
def orders():
    made = aws("create-table", *TABLE, "--attribute-definitions", "AttributeName=customer,AttributeType=S",
               "AttributeName=order_id,AttributeType=S", "AttributeName=status,AttributeType=S",
               "AttributeName=amount,AttributeType=N",
               "--key-schema", "AttributeName=customer,KeyType=HASH", "AttributeName=order_id,KeyType=RANGE",
               "--global-secondary-indexes",
               "IndexName=by_status,KeySchema=[{AttributeName=status,KeyType=HASH},{AttributeName=amount,KeyType=RANGE}],"
               "Projection={ProjectionType=ALL}",
               "--local-secondary-indexes",
               "IndexName=by_amount,KeySchema=[{AttributeName=customer,KeyType=HASH},{AttributeName=amount,KeyType=RANGE}],"
               "Projection={ProjectionType=KEYS_ONLY}",
               "--billing-mode", "PAY_PER_REQUEST", "--tags", "Key=team,Value=kitchen", "--deletion-protection-enabled")
    assert made["TableDescription"]["TableName"] == "orders"
    aws("wait", "table-exists", *TABLE)
    yield
    assert "protected" in refused("ValidationException", "delete-table", *TABLE)
    aws("update-table", *TABLE, "--no-deletion-protection-enabled")
    assert aws("delete-table", *TABLE)["TableDescription"]["TableStatus"] == "DELETING"
    aws("wait", "table-not-exists", *TABLE)
    refused("ResourceNotFoundException", "describe-table", *TABLE)


def order(customer, number, **more):
    return {"customer": {"S": customer}, "order_id": {"S": f"o{number}"}} | more


def test_tables():
    table = aws("describe-table", *TABLE)["Table"]
    assert table["TableStatus"] == "ACTIVE"
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert aws("list-tables")["TableNames"] == ["orders"]
    refused("ResourceInUseException", "create-table", *TABLE, "--attribute-definitions", "AttributeName=a,AttributeType=S",
            "--key-schema", "AttributeName=a,KeyType=HASH", "--billing-mode", "PAY_PER_REQUEST")


def test_items():
    every = order("types", 1, n={"N": "12345678901234567890123456789012345678"}, t={"BOOL": True}, z={"NULL": True},
                  l={"L": [{"S": "ü"}]}, m={"M": {"k": {"N": "1"}}}, ss={"SS": ["a"]}, ns={"NS": ["1"]})
    aws("put-item", *TABLE, "--item", compact(every))
    key = ("--key", compact(order("types", 1)))
    assert aws("get-item", *TABLE, *key, "--consistent-read")["Item"] == every
    part = aws("get-item", *TABLE, *key, "--projection-expression", "#m.k, l[0]", "--expression-attribute-names", '{"#m":"m"}',
               "--return-consumed-capacity", "TOTAL")
    assert part["Item"] == {"m": {"M": {"k": {"N": "1"}}}, "l": {"L": [{"S": "ü"}]}}
    assert part["ConsumedCapacity"] == {"TableName": "orders", "CapacityUnits": 0.5}
    changed = aws("update-item", *TABLE, *key, "--update-expression", "SET m.k = m.k + :v REMOVE l", "--condition-expression",
                  "size(ss) = :v", "--expression-attribute-values", '{":v":{"N":"1"}}', "--return-values", "UPDATED_NEW")
    assert changed["Attributes"] == {"m": {"M": {"k": {"N": "2"}}}}
    refused("ConditionalCheckFailedException", "put-item", *TABLE, "--item", compact(order("types", 1)),
            "--condition-expression", "attribute_not_exists(customer)")
    gone = aws("delete-item", *TABLE, *key, "--return-values", "ALL_OLD", "--return-item-collection-metrics", "SIZE")
    assert gone["Attributes"]["m"] == {"M": {"k": {"N": "2"}}}
    assert gone["ItemCollectionMetrics"]["ItemCollectionKey"] == {"customer": {"S": "types"}}
    refused("ValidationException", "get-item", *TABLE, "--key", '{"customer":{"S":"a"}}')
    refused("ResourceNotFoundException", "scan", "--table-name", "absent")


def test_batches_queries_and_scans():
    puts = [{"PutRequest": {"Item": order("c", n, amount={"N": str(-n)}, status={"S": "new" if n % 2 else "old"})}}
            for n in range(1, 10)]
    assert aws("batch-write-item", "--request-items", compact({"orders": puts}))["UnprocessedItems"] == {}
    got = aws("batch-get-item", "--request-items", compact({"orders": {"Keys": [order("c", 1), order("c", 99)]}}))
    assert len(got["Responses"]["orders"]) == 1
    values = ("--expression-attribute-values", '{":c":{"S":"c"},":o":{"S":"o7"}}')
    found = aws("query", *TABLE, "--key-condition-expression", "customer = :c AND order_id >= :o", *values,
                "--no-scan-index-forward")
    assert [item["order_id"]["S"] for item in found["Items"]] == ["o9", "o8", "o7"]
    found = aws("query", *TABLE, "--index-name", "by_status", "--key-condition-expression", "#s = :s",
                "--expression-attribute-names", '{"#s":"status"}', "--expression-attribute-values", '{":s":{"S":"new"}}',
                "--page-size", "2", "--max-items", "4", "--projection-expression", "order_id")
    assert [item["order_id"]["S"] for item in found["Items"]] == ["o9", "o7", "o5", "o3"]
    assert "NextToken" in found
    found = aws("query", *TABLE, "--index-name", "by_amount", "--select", "COUNT", "--key-condition-expression",
                "customer = :c", "--expression-attribute-values", '{":c":{"S":"c"}}', "--return-consumed-capacity", "INDEXES")
    assert found["Count"] == 9
    assert found["ConsumedCapacity"]["LocalSecondaryIndexes"] == {"by_amount": {"CapacityUnits": 0.5}}
    found = aws("scan", *TABLE, "--filter-expression", "amount < :a", "--expression-attribute-values", '{":a":{"N":"-5"}}',
                "--total-segments", "1", "--segment", "0", "--page-size", "3")
    assert (found["Count"], found["ScannedCount"]) == (4, 9)


def test_transactions():
    actions = [{"Put": {"TableName": "orders", "Item": order("t", 1)}},
               {"Update": {"TableName": "orders", "Key": order("t", 2), "UpdateExpression": "ADD n :n",
                           "ExpressionAttributeValues": {":n": {"N": "1"}}}}]
    words = ("transact-write-items", "--client-request-token", "cli-token", "--return-consumed-capacity", "TOTAL")
    assert aws(*words, "--transact-items", compact(actions))["ConsumedCapacity"][0]["CapacityUnits"] == 4.0
    aws(*words, "--transact-items", compact(actions))
    refused("IdempotentParameterMismatchException", *words, "--transact-items", compact(actions[:1]))
    got = aws("transact-get-items", "--transact-items", compact([{"Get": {"TableName": "orders", "Key": order("t", 2)}}]))
    assert got["Responses"][0]["Item"]["n"] == {"N": "1"}
    actions = [actions[1] | {}, {"ConditionCheck": {"TableName": "orders", "Key": order("t", 1),
                                                    "ConditionExpression": "attribute_not_exists(customer)"}}]
    complaint = refused("TransactionCanceledException", "transact-write-items", "--transact-items", compact(actions))
    assert "[None, ConditionalCheckFailed]" in complaint


def test_settings():
    arn = aws("describe-table", *TABLE)["Table"]["TableArn"]
    aws("tag-resource", "--resource-arn", arn, "--tags", "Key=a,Value=1")
    aws("untag-resource", "--resource-arn", arn, "--tag-keys", "team")
    assert aws("list-tags-of-resource", "--resource-arn", arn)["Tags"] == [{"Key": "a", "Value": "1"}]
    aws("update-time-to-live", *TABLE, "--time-to-live-specification", "Enabled=true,AttributeName=expires")
    assert aws("describe-time-to-live", *TABLE)["TimeToLiveDescription"]["AttributeName"] == "expires"
    assert aws("describe-limits")["AccountMaxReadCapacityUnits"] == 80000
    assert aws("describe-endpoints")["Endpoints"][0]["CachePeriodInMinutes"] == 1440
    backups = aws("describe-continuous-backups", *TABLE)["ContinuousBackupsDescription"]
    assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "DISABLED"


def test_an_index_comes_and_goes():
    aws("update-table", *TABLE, "--attribute-definitions", "AttributeName=day,AttributeType=S",
        "AttributeName=customer,AttributeType=S", "AttributeName=order_id,AttributeType=S",
        "AttributeName=status,AttributeType=S", "AttributeName=amount,AttributeType=N", "--global-secondary-index-updates",
        compact([{"Create": {"IndexName": "by_day", "KeySchema": [{"AttributeName": "day", "KeyType": "HASH"}],
                             "Projection": {"ProjectionType": "ALL"}}}]))
    wait_for_indexes({"by_status", "by_day"})
    aws("update-table", *TABLE, "--global-secondary-index-updates", compact([{"Delete": {"IndexName": "by_day"}}]))
    wait_for_indexes({"by_status"})


def wait_for_indexes(names):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        indexes = aws("describe-table", *TABLE)["Table"]["GlobalSecondaryIndexes"]
        if {one["IndexName"] for one in indexes if one["IndexStatus"] == "ACTIVE"} == names == {one["IndexName"] for one in indexes}:
            return
    raise AssertionError(f"the indexes are not {names} after two minutes")


def test_the_region_local_needs_no_endpoint(tmp_path):
    """`--region local` goes to port 8000 of this machine by itself, so a second server is started there if it is free."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", 8000))
        except OSError:
            pytest.skip("port 8000 is taken")
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from serve import Server, binary

    if not binary().exists():
        pytest.skip("there is no release build to start")
    server = Server(tmp_path / "data", port=8000).start()
    try:
        assert aws("list-tables", endpoint=None, region="local") == {"TableNames": []}
    finally:
        server.stop()
