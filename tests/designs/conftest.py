"""The program as a person calls it, a server for it, and the peers it must also get along with.
Knows no design: the tests name the files."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "clients"))

from serve import Server, binary, client_environment, free_port, healthy  # noqa: E402

DESIGNS = ["lunch-cache", "stock-price-cache", "nishiki", "smart-cooking", "aura-historia"]


def design_file(name):
    return ROOT / "designs" / f"{name}.design.yaml"


class Larder:
    """Calls `larder design …`; a call that fails unasked fails the test with what it said."""

    def __init__(self, endpoint=None):
        self.endpoint = endpoint

    def run(self, *arguments):
        environment = client_environment(self.endpoint or "")
        command = [str(binary()), "design", *map(str, arguments)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, cwd=ROOT)

    def __call__(self, *arguments):
        done = self.run(*arguments)
        assert done.returncode == 0, f"{arguments}: code {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def at(self, *arguments):
        """The same against the server."""
        return self(*arguments, "--endpoint", self.endpoint)

    def json_at(self, *arguments):
        return json.loads(self.at(*arguments, "--json"))


@pytest.fixture
def server(tmp_path):
    """An empty server of its own for each test."""
    running = Server(tmp_path / "data")
    running.start()
    yield running
    assert running.stop() == 0, running.log()


@pytest.fixture
def larder(server):
    return Larder(server.endpoint)


def peer_commands():
    """How to start each peer that is installed."""
    port = free_port()
    dynalite = HERE / "js" / "node_modules" / "dynalite" / "cli.js"
    dynoxide = os.environ.get("DYNOXIDE_BIN") or shutil.which("dynoxide") or ROOT / "bench" / ".peers" / "bin" / "dynoxide"
    return port, {
        "dynalite": ["node", str(dynalite), "--port", str(port), "--createTableMs", "0", "--updateTableMs", "0"]
        if dynalite.exists() else None,
        "dynoxide": [str(dynoxide), "serve", "--host", "127.0.0.1", "--port", str(port)]
        if Path(dynoxide).exists() else None,
    }


@pytest.fixture(params=["dynalite", "dynoxide"])
def peer(request, tmp_path):
    """Another server of the same protocol, as `(its name, a Larder that talks to it)`."""
    port, commands = peer_commands()
    command = commands[request.param]
    if command is None:
        pytest.skip(f"{request.param} is not installed")
    with open(tmp_path / "peer.log", "wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=tmp_path)
    try:
        deadline = time.monotonic() + 30
        while not listening(port):
            assert process.poll() is None and time.monotonic() < deadline, (tmp_path / "peer.log").read_text()
            time.sleep(0.05)
        yield request.param, Larder(f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.wait(10)


def listening(port):
    import socket

    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0
