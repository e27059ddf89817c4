"""PynamoDB: a model's whole life, with a version attribute, an index, time to live and a transaction."""

import pytest
from conftest import ENDPOINT
from pynamodb.attributes import NumberAttribute, TTLAttribute, UnicodeAttribute, UnicodeSetAttribute, VersionAttribute
from pynamodb.connection import Connection
from pynamodb.exceptions import PutError
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite


class ByColour(GlobalSecondaryIndex):
    class Meta:
        index_name = "by_colour"
        projection = AllProjection()
        billing_mode = "PAY_PER_REQUEST"

    colour = UnicodeAttribute(hash_key=True)


class Jar(Model):
    class Meta:
        table_name = "jars"
        host = ENDPOINT
        region = "us-east-1"
        aws_access_key_id = "story"
        aws_secret_access_key = "story"
        billing_mode = "PAY_PER_REQUEST"
        max_retry_attempts = 0

    shelf = UnicodeAttribute(hash_key=True)
    place = NumberAttribute(range_key=True)
    colour = UnicodeAttribute(null=True)
    tags = UnicodeSetAttribute(null=True)
    expires = TTLAttribute(null=True)
    version = VersionAttribute()
    by_colour = ByColour()


@pytest.fixture
def jars():
    Jar.create_table(wait=True)
    yield Jar
    Jar.delete_table()


def test_a_model_lives(jars):
    jar = jars("top", 1, colour="red", tags={"a", "b"})
    jar.save()
    assert jar.version == 1
    jar.update(actions=[jars.colour.set("blue"), jars.tags.add({"c"})])
    assert (jar.version, jar.tags) == (2, {"a", "b", "c"})
    stale = jars("top", 1)
    with pytest.raises(PutError):
        stale.save()
    with jars.batch_write() as batch:
        for place in range(2, 40):
            batch.save(jars("top", place, colour="red"))
    assert [one.place for one in jars.query("top", jars.place.between(3, 5), scan_index_forward=False)] == [5, 4, 3]
    assert [one.place for one in jars.by_colour.query("blue")] == [1]
    assert jars.count("top") == 39
    assert sum(1 for _ in jars.batch_get([("top", place) for place in range(1, 41)])) == 39
    assert jars.get("top", 7).colour == "red"
    jars.get("top", 7).delete()
    assert not [one for one in jars.scan(jars.place == 7)]


def test_a_transaction_of_models(jars):
    connection = Connection(host=ENDPOINT, region="us-east-1")
    with TransactWrite(connection=connection) as transaction:
        transaction.save(jars("low", 1), condition=jars.shelf.does_not_exist())
        transaction.save(jars("low", 2))
    assert jars.count("low") == 2


def test_time_to_live_is_turned_on_with_the_table(jars):
    found = jars._get_connection().connection.client.describe_time_to_live(TableName="jars")["TimeToLiveDescription"]
    assert found["AttributeName"] == "expires"
