"""A table that comes and goes while the crash rounds run, and what must be left of it after a kill.

One name is used again and again. Every life of the table has a number, which its items carry: an item of an earlier
life in a later one would be a table that was not really deleted. Knows nothing of the other writers.
"""

import http.client
import random
import threading

from wire import Refused, Wire

BROKEN = (OSError, http.client.HTTPException)
NAME = "brief"
TABLE = {
    "TableName": NAME, "BillingMode": "PAY_PER_REQUEST", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}, {"AttributeName": "life", "AttributeType": "N"}],
    "GlobalSecondaryIndexes": [{"IndexName": "by_life", "KeySchema": [{"AttributeName": "life", "KeyType": "HASH"}],
                                "Projection": {"ProjectionType": "ALL"}}],
}


class Builder:
    """Makes the table, fills it a little, deletes it, until the connection breaks."""

    def __init__(self, seed):
        self.random = random.Random(f"{seed}/builder")
        self.life = 0
        self.exists = False
        self.under_way = None
        self.held = set()
        self.sent = None
        self.cycles = 0
        self.problem = None
        self.thread = None

    def start(self, port):
        self.thread = threading.Thread(target=self.run, args=(port,), daemon=True)
        self.thread.start()

    def join(self):
        self.thread.join()

    def run(self, port):
        wire = Wire(port)
        try:
            while True:
                self.step(wire)
        except BROKEN:
            pass
        except Refused as error:
            self.problem = error
        finally:
            wire.close()

    def step(self, wire):
        if not self.exists:
            self.life += 1
            self.held = set()
            self.under_way = "create"
            wire.call("CreateTable", TABLE)
            self.exists = True
        elif self.random.random() < 0.1:
            self.under_way = "delete"
            wire.call("DeleteTable", {"TableName": NAME})
            self.exists = False
            self.cycles += 1
        else:
            self.sent = f"{self.life}-{self.random.randrange(1000)}"
            wire.call("PutItem", {"TableName": NAME, "Item": {"id": {"S": self.sent}, "life": {"N": str(self.life)}}})
            self.held.add(self.sent)
            self.sent = None
        self.under_way = None

    def check(self, wire):
        """What is wrong after a restart, or None. The books are brought up to date."""
        if self.problem:
            return f"the table that comes and goes was refused: {self.problem}"
        exists = NAME in wire.call("ListTables", {})["TableNames"]
        if exists != self.exists and self.under_way is None:
            return f"the table {NAME} {'is there' if exists else 'is missing'}, and nobody asked for that"
        if exists:
            index = {"TableName": NAME, "IndexName": "by_life"}
            for request in ({"TableName": NAME}, index):
                found = {item["id"]["S"] for item in wire.pages("Scan", request)}
                wanted = self.held if self.exists else set()
                allowed = wanted | ({self.sent} if self.sent else set())
                # A delete under way that did not come to pass leaves everything.
                if not wanted <= found <= allowed:
                    return f"the table {NAME} in life {self.life} holds {found ^ wanted} too many or too few"
                self.held = found
        self.exists = exists
        self.under_way = self.sent = None
        return None
