#!/usr/bin/env python3
"""kill -9 while tables are restored to a moment and backups are made, then restart on the same folder and look.

Two accounts of a pair always carry the same number, because only transactions write them. Before each round the writers
rest for a second, so that the state of that second is known; then they write on, and a restore to it, a restore to the
latest moment and a backup are begun one after another, and the server is killed at a random moment, several times.
After each restart the writers go on. When all is ready, the restored state of the known second must be exactly that
state, every other copy must hold whole pairs only, and every index must hold what its table says. Sometimes the table
that is copied is deleted meanwhile; then the backup it leaves must hold its last state.

usage: crash_recovery.py [--rounds 10] [--pairs 4000] [--seed 1] [--keep]
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

from serve import Server
from wire import Refused, Wire

BROKEN = (OSError, http.client.HTTPException)
KILL_SECONDS = (0.0, 0.5)
READY_SECONDS_MAX = 120.0
WRITERS = 4
INDEX = {"IndexName": "by_team", "KeySchema": [{"AttributeName": "team", "KeyType": "HASH"}],
         "Projection": {"ProjectionType": "ALL"}}


class Wrong(Exception):
    """Something that must not be."""


def table(name):
    return {"TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"},
                                     {"AttributeName": "team", "AttributeType": "S"}],
            "GlobalSecondaryIndexes": [INDEX]}


def account(pair, side, number):
    return {"id": {"S": f"{pair}-{side}"}, "team": {"S": f"team {number % 5}"}, "number": {"N": str(number)},
            "text": {"S": "x" * 400}}


class Writer(threading.Thread):
    """Gives pairs of its own new numbers, or deletes them, until it is told to rest or the connection breaks."""

    def __init__(self, port, source, pairs, chance):
        super().__init__(daemon=True)
        self.wire = Wire(port)
        self.source = source
        self.pairs = pairs
        self.random = chance
        self.rests = False
        self.problem = None

    def run(self):
        try:
            while not self.rests:
                pair, number = self.random.choice(self.pairs), self.random.randrange(1_000_000)
                if self.random.random() < 0.2:
                    acts = [{"Delete": {"TableName": self.source, "Key": {"id": {"S": f"{pair}-{side}"}}}} for side in "ab"]
                else:
                    acts = [{"Put": {"TableName": self.source, "Item": account(pair, side, number)}} for side in "ab"]
                self.wire.call("TransactWriteItems", {"TransactItems": acts})
        except BROKEN:
            pass
        except Refused as error:
            # The table may be deleted under its writers.
            if b"ResourceNotFoundException" not in error.body:
                self.problem = error
        finally:
            self.wire.close()


def contents(wire, name):
    return sorted(json.dumps(item, sort_keys=True) for item in wire.pages("Scan", {"TableName": name, "ConsistentRead": True}))


def check_copy(wire, name, expected=None):
    """A copy holds whole pairs, its index holds what it holds, and its count is right."""
    found = contents(wire, name)
    if expected is not None and found != expected:
        missing, extra = sorted(set(expected) - set(found)), sorted(set(found) - set(expected))
        raise Wrong(f"{name} is not what was: missing {missing[:2]}, extra {extra[:2]}")
    numbers = {}
    for text in found:
        item = json.loads(text)
        numbers.setdefault(item["id"]["S"].partition("-")[0], []).append(item["number"]["N"])
    torn = {pair: pair_numbers for pair, pair_numbers in numbers.items() if len(pair_numbers) != 2 or len(set(pair_numbers)) != 1}
    if torn:
        raise Wrong(f"{name} holds halves of transactions: {list(torn.items())[:3]}")
    entries = sorted(json.dumps(item, sort_keys=True) for item in wire.pages("Scan", {"TableName": name, "IndexName": "by_team"}))
    if entries != found:
        raise Wrong(f"the index of {name} has {len(entries)} entries, its table {len(found)} items")
    described = wire.call("DescribeTable", {"TableName": name})["Table"]
    if described["ItemCount"] != len(found) or "RestoreSummary" in described:
        raise Wrong(f"{name} describes itself wrongly: {described['ItemCount']} of {len(found)} items")
    return len(found)


def wait_for(what, ready):
    deadline = time.monotonic() + READY_SECONDS_MAX
    while time.monotonic() < deadline:
        if ready():
            return
        time.sleep(0.02)
    raise Wrong(f"{what} is not ready after {READY_SECONDS_MAX:.0f} s")


class Rounds:
    """What outlives a kill."""

    def __init__(self, server, options):
        self.server = server
        self.options = options
        self.random = random.Random(options.seed)
        self.writers = []
        self.interrupted = self.items = self.kills = 0

    def write(self, source):
        pairs = [f"p{number}" for number in range(self.options.pairs)]
        shares = [pairs[number::WRITERS] for number in range(WRITERS)]
        self.writers = [Writer(self.server.port, source, share, random.Random(self.random.random())) for share in shares]
        for writer in self.writers:
            writer.start()

    def fill(self, source):
        """So many accounts that a copy takes a while."""
        wire = Wire(self.server.port)
        accounts = [account(f"p{number}", side, 0) for number in range(self.options.pairs) for side in "ab"]
        for start in range(0, len(accounts), 25):
            puts = [{"PutRequest": {"Item": item}} for item in accounts[start:start + 25]]
            wire.call("BatchWriteItem", {"RequestItems": {source: puts}})
        wire.close()

    def rest(self):
        for writer in self.writers:
            writer.rests = True
            writer.join()
            if writer.problem:
                raise Wrong(f"a writer was refused: {writer.problem}")

    def crash(self, source):
        """Kills the server at a random moment, starts it again and lets the writers go on."""
        time.sleep(self.random.uniform(*KILL_SECONDS))
        if not self.server.alive():
            raise Wrong("the server died by itself")
        self.server.kill()
        self.rest()
        self.server.start()
        self.kills += 1
        wire = Wire(self.server.port)
        states = [wire.call("DescribeTable", {"TableName": name})["Table"]["TableStatus"]
                  for name in wire.call("ListTables", {})["TableNames"]]
        self.interrupted += "CREATING" in states
        if source in wire.call("ListTables", {})["TableNames"]:
            self.write(source)
        wire.close()

    def begin(self, operation, request):
        """Asks for something that a kill may cut short: then it is there or it is not."""
        wire = Wire(self.server.port)
        try:
            return wire.call(operation, request)
        finally:
            wire.close()

    def run_round(self, number):
        source = f"source-{number}"
        self.begin("CreateTable", table(source))
        self.begin("UpdateContinuousBackups", {
            "TableName": source, "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}})
        self.fill(source)
        self.write(source)
        time.sleep(self.random.uniform(0.5, 1.0))
        self.rest()
        wire = Wire(self.server.port)
        known, second = contents(wire, source), int(time.time())
        wire.close()
        time.sleep(1.1 - time.time() % 1)
        self.write(source)
        time.sleep(self.random.uniform(0.2, 1.0))
        self.begin("RestoreTableToPointInTime", {
            "SourceTableName": source, "TargetTableName": f"known-{number}", "RestoreDateTime": second})
        self.crash(source)
        self.begin("RestoreTableToPointInTime", {
            "SourceTableName": source, "TargetTableName": f"latest-{number}", "UseLatestRestorableTime": True})
        made = self.begin("CreateBackup", {"TableName": source, "BackupName": f"backup-{number}"})
        self.crash(source)
        backups = {f"backup-{number}": (made["BackupDetails"]["BackupArn"], None)}
        if number % 2:
            backups["left"] = self.delete(source)
            self.crash(source)
        self.check(number, source, known, backups)

    def delete(self, source):
        self.rest()
        wire = Wire(self.server.port)
        last = contents(wire, source)
        wire.call("DeleteTable", {"TableName": source})
        listed = wire.call("ListBackups", {"TableName": source, "BackupType": "SYSTEM"})["BackupSummaries"]
        wire.close()
        return listed[0]["BackupArn"], last

    def check(self, number, source, known, backups):
        wire = Wire(self.server.port)
        active = lambda name: wire.call("DescribeTable", {"TableName": name})["Table"]["TableStatus"] == "ACTIVE"
        for name, expected in ((f"known-{number}", known), (f"latest-{number}", None)):
            wait_for(name, lambda: active(name))
            self.items += check_copy(wire, name, expected)
            wire.call("DeleteTable", {"TableName": name})
        for label, (arn, expected) in backups.items():
            described = lambda: wire.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
            wait_for(arn, lambda: described()["BackupDetails"]["BackupStatus"] == "AVAILABLE")
            name = f"from-{label}-{number}"
            wire.call("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": name})
            wait_for(name, lambda: active(name))
            found = check_copy(wire, name, expected)
            if described()["SourceTableDetails"]["ItemCount"] != found:
                raise Wrong(f"the backup {arn} describes itself wrongly")
            self.items += found
            wire.call("DeleteTable", {"TableName": name})
            # The backup of a deleted table goes by itself, after its time.
            if described()["BackupDetails"]["BackupType"] == "USER":
                wire.call("DeleteBackup", {"BackupArn": arn})
        self.rest()
        if source in wire.call("ListTables", {})["TableNames"]:
            wire.call("DeleteTable", {"TableName": source})
        wire.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--pairs", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="keep the folder")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="larder-recovery-"))
    server = Server(folder / "data")
    rounds = Rounds(server, options)
    try:
        server.start()
        for number in range(options.rounds):
            rounds.run_round(number)
    except Wrong as error:
        print(f"crash_recovery.py: seed {options.seed}: {error}\n{server.log()}", file=sys.stderr)
        return 1
    finally:
        if server.alive():
            server.kill()
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"recovery: {options.rounds} rounds, {rounds.kills} kills, {rounds.interrupted} of them while a table was restored: "
          f"{rounds.items} items compared")
    return 0


if __name__ == "__main__":
    sys.exit(main())
