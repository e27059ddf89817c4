#!/usr/bin/env python3
"""kill -9 at random moments under 16 writers, then restart on the same folder and look.

Every writer owns its keys and has one request under way at most, so after a restart each key must hold either what
was last acknowledged or what was under way, nothing else. The members of a transaction always carry the same number:
different numbers are a half-applied transaction. A counter that all writers share must lie between the additions
acknowledged and those sent. A transaction with a client token that was under way is sent again after the restart and
must count once, one that was acknowledged must not count again. Every global and local index must hold exactly what
its table says, also one whose backfill the kill interrupted. A table that comes and goes holds what was put into it
since it came. The clock decides where a kill falls; everything else follows the seed.

usage: crash.py [--rounds 50] [--writers 16] [--seed 1] [--keep]
"""

import argparse
import http.client
import json
import random
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

from crash_tables import Builder
from serve import Server
from wire import Refused, Wire

BROKEN = (OSError, http.client.HTTPException)
SINGLE_KEYS = 12
GROUPS = ((0, 1), (2, 3, 4), (5, 6, 7, 8))
RUN_SECONDS = (0.05, 1.2)
LARGE_BYTES = 300_000
FILLER_ITEMS = 6000
FILL_SECONDS = (0.0, 0.2)


def keys(hash_name, range_name=None):
    found = [{"AttributeName": hash_name, "KeyType": "HASH"}]
    return found + ([{"AttributeName": range_name, "KeyType": "RANGE"}] if range_name else [])


def attributes(**types):
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in types.items()]


ACCOUNTS = {
    "TableName": "accounts", "BillingMode": "PAY_PER_REQUEST", "KeySchema": keys("id"),
    "AttributeDefinitions": attributes(id="S", team="S", score="N"),
    "GlobalSecondaryIndexes": [
        {"IndexName": "by_team", "KeySchema": keys("team", "score"), "Projection": {"ProjectionType": "ALL"}},
        {"IndexName": "by_score", "KeySchema": keys("score"), "Projection": {"ProjectionType": "KEYS_ONLY"}},
    ],
}
LEDGER = {
    "TableName": "ledger", "BillingMode": "PAY_PER_REQUEST", "KeySchema": keys("owner", "line"),
    "AttributeDefinitions": attributes(owner="S", line="S", team="S", score="N"),
    "GlobalSecondaryIndexes": [
        {"IndexName": "by_team", "KeySchema": keys("team"),
         "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["number"]}},
    ],
    "LocalSecondaryIndexes": [
        {"IndexName": "by_score", "KeySchema": keys("owner", "score"), "Projection": {"ProjectionType": "ALL"}},
    ],
}
ARCHIVE = {
    "TableName": "archive", "BillingMode": "PAY_PER_REQUEST", "KeySchema": keys("id"),
    "AttributeDefinitions": attributes(id="S"),
}
TABLES = ("accounts", "ledger", "archive")
ADDED = {"IndexName": "by_state", "KeySchema": keys("state", "score"), "Projection": {"ProjectionType": "ALL"}}


class Wrong(Exception):
    """What must not be, found after a restart."""


class Writer(threading.Thread):
    """Writes until the connection breaks. `held` is what was acknowledged, `sent` what was under way."""

    def __init__(self, name, port, seed, held, shared, counted):
        super().__init__(daemon=True)
        self.label = name
        self.random = random.Random(seed)
        self.wire = Wire(port)
        self.held = held
        self.shared = shared
        self.sent = {}
        self.counted = counted
        self.token_body = None
        self.acknowledged = 0
        self.transactions = 0
        self.problem = None

    def run(self):
        try:
            while True:
                self.random.choice(CALLS)(self)
                for place, item in self.sent.items():
                    self.held[place] = item
                self.sent = {}
                self.acknowledged += 1
        except BROKEN:
            pass
        except (Refused, AssertionError) as error:
            self.problem = error
        finally:
            self.wire.close()

    def fields(self, number):
        """Attributes that move an item through the indexes; each may be absent, so the indexes are sparse."""
        made = {"number": {"N": str(number)}, "padding": {"S": "x" * self.random.randrange(400)}}
        if self.random.random() < 0.8:
            made["team"] = {"S": f"t{self.random.randrange(5)}"}
        if self.random.random() < 0.8:
            made["score"] = {"N": str(self.random.randrange(-50, 50))}
        if self.random.random() < 0.5:
            made["state"] = {"S": self.random.choice(("open", "shut"))}
        return made

    def key(self, table, member):
        if table != "ledger":
            return {"id": {"S": f"{self.label}-{member}"}}
        return {"owner": {"S": self.label}, "line": {"S": str(member)}}

    def fresh(self):
        return self.random.randrange(10**12)

    def single(self):
        table = self.random.choice(TABLES)
        member = f"single-{self.random.randrange(SINGLE_KEYS)}"
        return table, member, self.key(table, member)

    def put(self):
        table, member, key = self.single()
        item = key | self.fields(self.fresh())
        self.sent = {(table, self.label, member): item}
        self.wire.call("PutItem", {"TableName": table, "Item": item})

    def put_large(self):
        key = self.key("accounts", "large")
        item = key | self.fields(self.fresh()) | {"padding": {"S": self.random.choice("abc") * LARGE_BYTES}}
        self.sent = {("accounts", self.label, "large"): item}
        self.wire.call("PutItem", {"TableName": "accounts", "Item": item})

    def update(self):
        """Moves an item to new index keys, or takes it out of an index, leaving the rest as it is."""
        table, member, key = self.single()
        fields = self.fields(self.fresh())
        before = self.held.get((table, self.label, member)) or key
        item = {name: value for name, value in before.items() if name not in ("team", "score", "state")} | fields
        removed = [name for name in ("team", "score", "state") if name not in fields]
        names = {f"#{name}": name for name in (*fields, *removed)}
        expression = "SET " + ", ".join(f"#{name} = :{name}" for name in fields)
        if removed:
            expression += " REMOVE " + ", ".join(f"#{name}" for name in removed)
        self.sent = {(table, self.label, member): item}
        self.wire.call("UpdateItem", {
            "TableName": table, "Key": key, "UpdateExpression": expression, "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": {f":{name}": value for name, value in fields.items()}})

    def delete(self):
        table, member, key = self.single()
        self.sent = {(table, self.label, member): None}
        self.wire.call("DeleteItem", {"TableName": table, "Key": key})

    def transact(self):
        """Gives every member of a group the same new number, in both tables."""
        number = self.fresh()
        actions = []
        for member in self.random.choice(GROUPS):
            table = "ledger" if member % 2 else "accounts"
            item = self.key(table, f"group-{member}") | self.fields(number)
            self.sent[(table, self.label, f"group-{member}")] = item
            actions.append({"Put": {"TableName": table, "Item": item}})
        self.wire.call("TransactWriteItems", {"TransactItems": actions})
        self.transactions += 1

    def count(self):
        with self.shared["lock"]:
            self.shared["sent"] += 1
        self.wire.call("UpdateItem", {
            "TableName": "accounts", "Key": {"id": {"S": "shared"}}, "UpdateExpression": "ADD n :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}}})
        with self.shared["lock"]:
            self.shared["acknowledged"] += 1


    def count_by_token(self):
        """Adds one to a counter of its own, once for each token."""
        self.token_body = {
            "ClientRequestToken": f"{self.label}-{self.fresh()}",
            "TransactItems": [{"Update": {
                "TableName": "accounts", "Key": self.key("accounts", "token"), "UpdateExpression": "ADD n :one",
                "ExpressionAttributeValues": {":one": {"N": "1"}}}}]}
        self.wire.call("TransactWriteItems", self.token_body)
        self.counted["count"] += 1
        self.counted["last"] = self.token_body
        self.token_body = None


CALLS = (Writer.put, Writer.put, Writer.put, Writer.update, Writer.update, Writer.update, Writer.delete, Writer.transact,
         Writer.transact, Writer.count, Writer.count_by_token, Writer.put_large)


def normal(item):
    return json.dumps(item, sort_keys=True)


def place_of(table, item):
    """Where an item of a table stands in the writers' books, or None for a counter."""
    if table == "ledger":
        return table, item["owner"]["S"], item["line"]["S"]
    if item["id"]["S"] == "shared":
        return None
    label, _, member = item["id"]["S"].partition("-")
    return None if member == "token" else (table, label, member)


def check_items(tables, writers, held):
    """Every key holds what was acknowledged or what was under way; the books are brought up to date."""
    found = {}
    for table, items in tables.items():
        for item in items:
            place = place_of(table, item)
            if place is not None:
                found[place] = item
    sent = {}
    for writer in writers:
        sent.update(writer.sent)
    for place in sorted(set(found) | set(held) | set(sent)):
        item = found.get(place)
        allowed = [held.get(place)] + ([sent[place]] if place in sent else [])
        if normal(item) not in [normal(one) for one in allowed]:
            raise Wrong(f"{place} holds {normal(item)}, allowed {[normal(one) for one in allowed]}")
        held[place] = item
    return found


def check_transactions(found, labels):
    """The members of a group carry one number."""
    checked = 0
    for label in labels:
        for group in GROUPS:
            numbers = set()
            for member in group:
                item = found.get(("ledger" if member % 2 else "accounts", label, f"group-{member}"))
                numbers.add(item["number"]["N"] if item else None)
            if len(numbers) != 1:
                raise Wrong(f"a transaction of {label} was half applied: group {group} has numbers {numbers}")
            checked += numbers != {None}
    return checked


def check_index(wire, table, key_names, index, items):
    """An index holds exactly the items of its table that have its keys, cut to its projection."""
    index_keys = [key["AttributeName"] for key in index["KeySchema"]]
    projection = index["Projection"]["ProjectionType"]
    kept = set(index_keys) | set(key_names) | set(index["Projection"].get("NonKeyAttributes", ()))
    expected = []
    for item in items:
        if all(name in item for name in index_keys):
            expected.append(item if projection == "ALL" else {name: value for name, value in item.items() if name in kept})
    entries = list(wire.pages("Scan", {"TableName": table, "IndexName": index["IndexName"]}))
    if sorted(map(normal, expected)) != sorted(map(normal, entries)):
        missing = set(map(normal, expected)) - set(map(normal, entries))
        extra = set(map(normal, entries)) - set(map(normal, expected))
        raise Wrong(f"index {index['IndexName']} disagrees with {table}: missing {list(missing)[:3]}, extra {list(extra)[:3]}")
    return len(entries)


def check_tokens(wire, writers):
    """A transaction that was under way counts once, however often it is sent; one that was acknowledged is done."""
    for writer in writers:
        counted = writer.counted
        for body in (counted["last"], writer.token_body):
            if body:
                wire.call("TransactWriteItems", body)
        counted["count"] += writer.token_body is not None
        counted["last"] = writer.token_body or counted["last"]
        found = wire.call("GetItem", {"TableName": "accounts", "Key": writer.key("accounts", "token"), "ConsistentRead": True})
        value = int(found.get("Item", {}).get("n", {"N": "0"})["N"])
        if value != counted["count"]:
            raise Wrong(f"the tokens of {writer.label} count {value}, sent and acknowledged {counted['count']}")


def index_state(wire, name):
    table = wire.call("DescribeTable", {"TableName": "archive"})["Table"]
    states = {one["IndexName"]: one["IndexStatus"] for one in table.get("GlobalSecondaryIndexes", ())}
    return states.get(name)


def wait_for_index(wire, name, wanted):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if index_state(wire, name) == wanted:
            return
        time.sleep(0.01)
    raise Wrong(f"index {name} is {index_state(wire, name)} after 120 s, not {wanted}")


class Rounds:
    """What outlives a kill: the folder, the books, the totals."""

    def __init__(self, server, options):
        self.server = server
        self.options = options
        self.random = random.Random(options.seed)
        self.held = {}
        self.shared = {"lock": threading.Lock(), "sent": 0, "acknowledged": 0}
        self.labels = [f"w{number}" for number in range(options.writers)]
        self.counted = {label: {"count": 0, "last": None} for label in self.labels}
        self.builder = Builder(options.seed)
        self.interrupted = 0
        self.acknowledged = self.transactions = self.groups_checked = self.entries_checked = 0

    def run_round(self, number):
        writers = [Writer(label, self.server.port, f"{self.options.seed}/{number}/{label}",
                          {place: item for place, item in self.held.items() if place[1] == label}, self.shared,
                          self.counted[label])
                   for label in self.labels]
        for writer in writers:
            writer.start()
        self.builder.start(self.server.port)
        changer = threading.Thread(target=self.change_indexes, args=(number,), daemon=True)
        changes = number % 3 != 0
        time.sleep(self.random.uniform(*RUN_SECONDS))
        if changes:
            changer.start()
            time.sleep(self.random.uniform(*FILL_SECONDS))
        died = not self.server.alive()
        self.server.kill()
        for thread in [*writers, *([changer] if changes else [])]:
            thread.join()
        self.builder.join()
        if died:
            raise Wrong("the server died by itself")
        for writer in writers:
            if writer.problem:
                raise Wrong(f"a writer was refused: {writer.problem}")
            self.acknowledged += writer.acknowledged
            self.transactions += writer.transactions
            self.held.update(writer.held)
        self.server.start()
        self.check(writers)

    def change_indexes(self, number):
        """Adds an index in one round and drops it in the next, so that the kill meets its backfill or its end."""
        wire = Wire(self.server.port)
        try:
            if index_state(wire, ADDED["IndexName"]) is None:
                wire.call("UpdateTable", {"TableName": "archive", "GlobalSecondaryIndexUpdates": [{"Create": ADDED}],
                                          "AttributeDefinitions": attributes(id="S", state="S", score="N")})
            else:
                wire.call("UpdateTable", {"TableName": "archive", "GlobalSecondaryIndexUpdates": [
                    {"Delete": {"IndexName": ADDED["IndexName"]}}]})
        except BROKEN:
            pass
        finally:
            wire.close()

    def check(self, writers):
        wire = Wire(self.server.port)
        state = index_state(wire, ADDED["IndexName"])
        if state is not None:
            self.interrupted += state == "CREATING"
            wait_for_index(wire, ADDED["IndexName"], "ACTIVE")
        tables = {name: list(wire.pages("Scan", {"TableName": name, "ConsistentRead": True})) for name in TABLES}
        found = check_items(tables, writers, self.held)
        self.groups_checked += check_transactions(found, self.labels)
        counter = wire.call("GetItem", {"TableName": "accounts", "Key": {"id": {"S": "shared"}}, "ConsistentRead": True})
        value = int(counter.get("Item", {}).get("n", {"N": "0"})["N"])
        if not self.shared["acknowledged"] <= value <= self.shared["sent"]:
            raise Wrong(f"the shared counter is {value}, acknowledged {self.shared['acknowledged']}, sent {self.shared['sent']}")
        self.shared["sent"] = self.shared["acknowledged"] = value
        for table, key_names in ((ACCOUNTS, ("id",)), (LEDGER, ("owner", "line")), (ARCHIVE, ("id",))):
            indexes = table.get("GlobalSecondaryIndexes", []) + table.get("LocalSecondaryIndexes", [])
            if state is not None and table is ARCHIVE:
                indexes = [ADDED]
            for index in indexes:
                self.entries_checked += check_index(wire, table["TableName"], key_names, index, tables[table["TableName"]])
        check_tokens(wire, writers)
        problem = self.builder.check(wire)
        if problem:
            raise Wrong(problem)
        wire.close()

    def fill_archive(self, wire):
        """Items that nobody changes, so many that a new index is not filled at once."""
        for start in range(0, FILLER_ITEMS, 25):
            puts = []
            for number in range(start, start + 25):
                item = {"id": {"S": f"filler-{number}"}, "score": {"N": str(number % 100)}, "state": {"S": "open"}}
                self.held[("archive", "filler", str(number))] = item
                puts.append({"PutRequest": {"Item": item}})
            wire.call("BatchWriteItem", {"RequestItems": {"archive": puts}})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--writers", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="leave the data folder behind when something is wrong")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="larder-crash-")
    server = Server(Path(folder) / "data")
    rounds = Rounds(server, options)
    number = 0
    failed = True
    try:
        server.start()
        wire = Wire(server.port)
        wire.call("CreateTable", ACCOUNTS)
        wire.call("CreateTable", LEDGER)
        wire.call("CreateTable", ARCHIVE)
        rounds.fill_archive(wire)
        wire.close()
        for number in range(1, options.rounds + 1):
            rounds.run_round(number)
        failed = False
    except (Wrong, RuntimeError, Refused, *BROKEN) as error:
        print(f"crash: round {number}, seed {options.seed}: {type(error).__name__}: {error}", file=sys.stderr)
        print(server.log(), file=sys.stderr)
    finally:
        if server.process is not None and server.alive():
            server.kill()
        if failed and options.keep:
            print(f"crash: the data is in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    if failed:
        print(f"crash: WRONG in round {number}, after {rounds.acknowledged} acknowledged writes")
    else:
        print(f"crash: {number} rounds, {rounds.acknowledged} acknowledged writes, {rounds.transactions} acknowledged "
              f"transactions, {rounds.groups_checked} transaction groups and {rounds.entries_checked} index entries "
              f"checked, {rounds.interrupted} backfills interrupted, {rounds.builder.cycles} tables made and deleted, "
              "nothing lost")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
