#!/usr/bin/env python3
"""Ten thousand malformed and mutated requests: each answered 4xx with a JSON body that has `__type`, or 200 where a
change left the request valid; never 5xx, never a hang, never a dead server.

While they run, a hundred connections stand half-open, and a table nobody names keeps its items. The same seed sends
the same requests. A failing request is printed with its number: run again with --seed and --only NUMBER.

usage: malformed.py [--count 10000] [--seed 1] [--only NUMBER]
"""

import argparse
import collections
import http.client
import json
import random
import shutil
import socket
import sys
import tempfile
import time
from pathlib import Path

import malformed_requests as requests
from serve import Server
from wire import Refused, Wire

ANSWER_SECONDS_MAX = 20
HALF_OPEN = 100
GIANT_EVERY = 150
FRAMING_EVERY = 12
REVIVE_EVERY = 100


def make(seed, number):
    """The request of a number: how it is sent, and what."""
    if number < len(requests.CORNERS):
        operation, tree = requests.CORNERS[number]
        return "corner", (operation, requests.encode(tree))
    chance = random.Random(f"{seed}/{number}")
    if number % GIANT_EVERY == 7:
        return "giant", requests.giant(chance)
    if number % FRAMING_EVERY == 5:
        return "framing", requests.framing(chance)
    return "mutated", requests.mutated(chance)


def judge(status, body, may_be_valid):
    """What is wrong with an answer, or None, and the name it is counted under."""
    if status == 200:
        return (None if may_be_valid else "a broken request was accepted"), "200"
    if not 400 <= status <= 499:
        return f"status {status}: {body[:300]!r}", str(status)
    try:
        kind = json.loads(body)["__type"].rpartition("#")[2]
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"status {status} without a JSON body that has __type: {body[:300]!r}", str(status)
    return None, f"{status} {kind}"


class Raw:
    """Bytes sent as they are over a connection of their own."""

    def __init__(self, port):
        self.port = port

    def send(self, data, ends):
        """The status and body of the answer, or None when the server hung up without one. `ends` closes our side, as a
        client does that breaks off; the others wait with the connection open."""
        with socket.create_connection(("127.0.0.1", self.port), ANSWER_SECONDS_MAX) as stream:
            try:
                stream.sendall(data)
                if ends:
                    stream.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # The server may answer and hang up before all is sent.
            answer = http.client.HTTPResponse(stream, method="POST")
            try:
                answer.begin()
                return answer.status, answer.read()
            except (http.client.HTTPException, ConnectionError):
                return None


def send(server, wire, number, seed):
    """One request and the verdict on its answer."""
    how, what = make(seed, number)
    if how == "framing":
        data, may_close = what
        try:
            answer = Raw(server.port).send(data, ends=may_close)
        except TimeoutError:
            return f"no answer within {ANSWER_SECONDS_MAX} s", "hang"
        if answer is None:
            return (None if may_close else f"no answer to {data[:200]!r}"), "closed"
        return judge(*answer, may_be_valid=True)
    operation, body = what
    try:
        status, answer = wire.send("DynamoDB_20120810." + operation, body)
    except TimeoutError:
        return f"no answer within {ANSWER_SECONDS_MAX} s", "hang"
    except (OSError, http.client.HTTPException) as error:
        return f"{type(error).__name__}: {error}", "broken"
    return judge(status, answer, may_be_valid=True)


def resident_megabytes(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def prepare(wire):
    """The table that must stay as it is."""
    wire.call("CreateTable", {"TableName": "canary", "BillingMode": "PAY_PER_REQUEST",
                              "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                              "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]})
    for number in range(20):
        wire.call("PutItem", {"TableName": "canary", "Item": {"id": {"S": f"c{number}"}, "n": {"N": str(number)}}})


def revive(wire):
    """The table that is mistreated; a mutated DeleteTable may have met it."""
    try:
        wire.call("CreateTable", requests.CREATE)
    except Refused as refusal:
        if b"ResourceInUseException" not in refusal.body:
            raise


def canary(wire):
    answer = wire.call("Scan", {"TableName": "canary", "ConsistentRead": True})
    return sorted((item["id"]["S"], item["n"]["N"]) for item in answer["Items"])


def run(server, options):
    wire = Wire(server.port, ANSWER_SECONDS_MAX)
    prepare(wire)
    before = canary(wire)
    idle = [socket.create_connection(("127.0.0.1", server.port), ANSWER_SECONDS_MAX) for _ in range(HALF_OPEN)]
    for place, stream in enumerate(idle):
        stream.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"[:place])
    kinds = collections.Counter()
    problems = []
    slowest = 0.0
    numbers = range(options.count) if options.only is None else [options.only]
    for number in numbers:
        if number % REVIVE_EVERY == 0 or options.only is not None:
            revive(wire)
        began = time.monotonic()
        problem, kind = send(server, wire, number, options.seed)
        slowest = max(slowest, time.monotonic() - began)
        kinds[kind] += 1
        if problem:
            how, what = make(options.seed, number)
            problems.append(f"request {number} ({how} {str(what)[:200]}): {problem}")
        if not server.alive():
            problems.append(f"request {number} ended the server: {server.log()}")
            break
        if len(problems) >= options.problems_max:
            break
    for stream in idle:
        stream.close()
    if server.alive():
        wire.close()
        if canary(wire) != before:
            problems.append("the table nobody named has changed")
        if "panicked" in server.log_path.read_text(errors="replace"):
            problems.append("the server's log speaks of a panic")
        print(f"malformed: {resident_megabytes(server.process.pid):.0f} MB resident, slowest answer {slowest:.2f} s")
    for kind, count in sorted(kinds.items()):
        print(f"malformed: {count:6} {kind}")
    return sum(kinds.values()), problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    parser.add_argument("--problems-max", type=int, default=20, help="give up after so many")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="larder-malformed-")
    server = Server(Path(folder) / "data")
    count, problems = 0, ["the run did not end"]
    try:
        server.start()
        count, problems = run(server, options)
    except (RuntimeError, Refused, OSError, http.client.HTTPException) as error:
        problems = [f"{type(error).__name__}: {error}", server.log()]
    finally:
        if server.process is not None and server.alive():
            server.kill()
        shutil.rmtree(folder, ignore_errors=True)
    for problem in problems:
        print(f"malformed: {problem}", file=sys.stderr)
    print(f"malformed: {count} requests, {len(problems)} wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
