"""Streams with boto3's own client for them: views, iterators, shards, streams that were switched off."""

import boto3
import pytest
from botocore.exceptions import ClientError
from conftest import SETTINGS, schema, string_keys

FIRST, SECOND = {"pk": {"S": "jar"}, "n": {"N": "1"}}, {"pk": {"S": "jar"}, "n": {"N": "2"}}


@pytest.fixture(scope="session")
def streams():
    return boto3.client("dynamodbstreams", **SETTINGS)


def followed(make, client, name, view):
    make(
        TableName=name,
        AttributeDefinitions=string_keys("pk"),
        KeySchema=schema("pk"),
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": view},
    )
    return client.describe_table(TableName=name)["Table"]["LatestStreamArn"]


def iterator(streams, arn, shard, **place):
    return streams.get_shard_iterator(StreamArn=arn, ShardId=shard, **place)["ShardIterator"]


def read_all(streams, arn):
    """Every record of a stream, shard by shard, a few at a time."""
    found = []
    for shard in streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]:
        closed = "EndingSequenceNumber" in shard["SequenceNumberRange"]
        place = iterator(streams, arn, shard["ShardId"], ShardIteratorType="TRIM_HORIZON")
        while place:
            page = streams.get_records(ShardIterator=place, Limit=2)
            found += page["Records"]
            place = page.get("NextShardIterator")
            if not page["Records"] and not closed:
                break
    return found


@pytest.mark.parametrize(
    "view, images",
    [
        ("KEYS_ONLY", set()),
        ("NEW_IMAGE", {"NewImage"}),
        ("OLD_IMAGE", {"OldImage"}),
        ("NEW_AND_OLD_IMAGES", {"NewImage", "OldImage"}),
    ],
)
def test_each_view_shows_its_images(make, client, streams, view, images):
    arn = followed(make, client, f"followed_{view}", view)
    table = f"followed_{view}"
    for item in (FIRST, FIRST, SECOND):
        client.put_item(TableName=table, Item=item)
    client.delete_item(TableName=table, Key={"pk": {"S": "jar"}})
    client.delete_item(TableName=table, Key={"pk": {"S": "jar"}})
    records = read_all(streams, arn)
    assert [record["eventName"] for record in records] == ["INSERT", "MODIFY", "REMOVE"]
    insert, modify, remove = (record["dynamodb"] for record in records)
    assert {name for name in modify if name.endswith("Image")} == images
    assert modify.get("OldImage", FIRST) == FIRST and modify.get("NewImage", SECOND) == SECOND
    assert "OldImage" not in insert and "NewImage" not in remove
    for record in records:
        assert record["eventSource"] == "aws:dynamodb" and record["eventVersion"] == "1.1"
        assert record["dynamodb"]["Keys"] == {"pk": {"S": "jar"}}
        assert record["dynamodb"]["StreamViewType"] == view
        assert record["dynamodb"]["SizeBytes"] > 0
        assert "userIdentity" not in record
    assert len({record["eventID"] for record in records}) == 3


def test_iterators_begin_where_they_should(make, client, streams):
    arn = followed(make, client, "followed_places", "NEW_IMAGE")
    shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
    latest = iterator(streams, arn, shard, ShardIteratorType="LATEST")
    for number in range(5):
        client.put_item(TableName="followed_places", Item={"pk": {"S": str(number)}})
    records = read_all(streams, arn)
    numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
    assert numbers == sorted(numbers, key=int) and len(set(numbers)) == 5

    def count(**place):
        return len(streams.get_records(ShardIterator=iterator(streams, arn, shard, **place))["Records"])

    assert len(streams.get_records(ShardIterator=latest)["Records"]) == 5
    assert count(ShardIteratorType="LATEST") == 0
    assert count(ShardIteratorType="AT_SEQUENCE_NUMBER", SequenceNumber=numbers[2]) == 3
    assert count(ShardIteratorType="AFTER_SEQUENCE_NUMBER", SequenceNumber=numbers[2]) == 2
    when = records[0]["dynamodb"]["ApproximateCreationDateTime"]
    assert count(ShardIteratorType="AT_TIMESTAMP", Timestamp=when) == 5


def test_a_transaction_is_one_record_for_each_item(make, client, streams):
    arn = followed(make, client, "followed_together", "NEW_IMAGE")
    put = [{"Put": {"TableName": "followed_together", "Item": {"pk": {"S": key}}}} for key in "abc"]
    client.transact_write_items(TransactItems=put)
    batch = [{"PutRequest": {"Item": {"pk": {"S": key}}}} for key in "cde"]
    client.batch_write_item(RequestItems={"followed_together": batch})
    keys = [record["dynamodb"]["Keys"]["pk"]["S"] for record in read_all(streams, arn)]
    assert sorted(keys) == list("abcde")


def test_a_stream_that_was_switched_off_is_read_to_its_end(make, client, streams):
    first = followed(make, client, "followed_twice", "NEW_IMAGE")
    client.put_item(TableName="followed_twice", Item=FIRST)
    client.update_table(TableName="followed_twice", StreamSpecification={"StreamEnabled": False})
    client.put_item(TableName="followed_twice", Item=SECOND)
    client.get_waiter("table_exists").wait(TableName="followed_twice")
    on = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    client.update_table(TableName="followed_twice", StreamSpecification=on)
    second = client.describe_table(TableName="followed_twice")["Table"]["LatestStreamArn"]
    assert first != second
    described = streams.describe_stream(StreamArn=first)["StreamDescription"]
    assert described["StreamStatus"] == "DISABLED"
    assert "EndingSequenceNumber" in described["Shards"][-1]["SequenceNumberRange"]
    assert [record["dynamodb"]["NewImage"] for record in read_all(streams, first)] == [FIRST]
    assert read_all(streams, second) == []
    listed = streams.list_streams(TableName="followed_twice")["Streams"]
    assert [stream["StreamArn"] for stream in listed] == [first, second]
    page = streams.list_streams(TableName="followed_twice", Limit=1)
    rest = streams.list_streams(TableName="followed_twice", ExclusiveStartStreamArn=page["LastEvaluatedStreamArn"])
    assert [stream["StreamArn"] for stream in page["Streams"] + rest["Streams"]] == [first, second]


def test_shards_can_be_asked_for_by_their_parent(make, client, streams):
    arn = followed(make, client, "followed_parent", "NEW_IMAGE")
    shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]
    wanted = {"Type": "CHILD_SHARDS", "ShardId": shard}
    assert streams.describe_stream(StreamArn=arn, ShardFilter=wanted)["StreamDescription"]["Shards"] == []


def test_what_is_wrong_is_told(make, client, streams):
    arn = followed(make, client, "followed_wrong", "NEW_IMAGE")
    shard = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"][0]["ShardId"]

    def refused(call, **request):
        with pytest.raises(ClientError) as caught:
            call(**request)
        return caught.value.response["Error"]["Code"]

    other = arn[:-1] + ("0" if arn[-1] != "0" else "1")
    assert refused(streams.describe_stream, StreamArn=other) == "ResourceNotFoundException"
    assert refused(streams.get_records, ShardIterator="nonsense") == "ValidationException"
    missing = "shardId-00000000000000000000-00000000"
    latest = {"StreamArn": arn, "ShardIteratorType": "LATEST"}
    assert refused(streams.get_shard_iterator, ShardId=missing, **latest) == "ResourceNotFoundException"
    at = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "AT_SEQUENCE_NUMBER"}
    assert refused(streams.get_shard_iterator, **at) == "ValidationException"
