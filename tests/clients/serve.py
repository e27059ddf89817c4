#!/usr/bin/env python3
"""Starts the real server for a client story and stops it again.

As a program: `serve.py COMMAND ...` starts Larder on a free port with an empty data folder, runs COMMAND with
LARDER_ENDPOINT and harmless AWS settings in its environment, and exits with COMMAND's code. As a module it offers
`Server`, which the crash rounds also restart on the same folder. Uses the standard library only and knows nothing
of DynamoDB: a server is ready when `GET /` answers 200.
"""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS_MAX = 30.0
STOP_SECONDS_MAX = 15.0


def binary():
    """The server to test: LARDER_BIN, or the release build of this tree."""
    named = os.environ.get("LARDER_BIN")
    if named:
        return Path(named)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release" / "larder"


def free_port():
    """A port that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One running server. `kill` is kill -9; `stop` is a polite SIGTERM that must end it in time."""

    def __init__(self, data_dir, port=None, options=()):
        self.data_dir = Path(data_dir)
        self.port = port or free_port()
        self.options = list(options)
        self.process = None
        self.log_path = self.data_dir.parent / (self.data_dir.name + ".log")

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        command = [str(binary()), "serve", "--port", str(self.port), "--data-dir", str(self.data_dir), *self.options]
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.wait_until_ready()
        return self

    def wait_until_ready(self):
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline:
            if self.process is not None and self.process.poll() is not None:
                raise RuntimeError(f"the server ended with code {self.process.returncode}:\n{self.log()}")
            if healthy(self.port):
                return
            time.sleep(0.005)
        raise RuntimeError(f"the server did not answer within {START_SECONDS_MAX:.0f} s:\n{self.log()}")

    def log(self):
        """The last lines the server wrote."""
        return self.log_path.read_text(errors="replace")[-4000:]

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """Asks the server to end and returns its exit code; a server that lingers is killed and reported."""
        if not self.alive():
            return self.process.returncode
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
            raise RuntimeError(f"the server ignored SIGTERM for {STOP_SECONDS_MAX:.0f} s") from None


def healthy(port):
    """Whether `GET /` answers 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def client_environment(endpoint):
    """The environment of a client: no file of the user's and no metadata service may have a say."""
    names = ("AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION")
    kept = {name: value for name, value in os.environ.items() if name not in names}
    return kept | {
        "LARDER_ENDPOINT": endpoint,
        "AWS_ACCESS_KEY_ID": "story",
        "AWS_SECRET_ACCESS_KEY": "story",
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
    }


def main(command):
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    given = os.environ.get("LARDER_ENDPOINT")
    if given:
        return subprocess.call(command, env=client_environment(given))
    folder = tempfile.mkdtemp(prefix="larder-story-")
    server = Server(Path(folder) / "data")
    try:
        server.start()
        code = subprocess.call(command, env=client_environment(server.endpoint))
        if not server.alive():
            print(f"the server died during the story:\n{server.log()}", file=sys.stderr)
            return 1
        stopped = server.stop()
        if stopped != 0:
            print(f"the server ended with code {stopped} on SIGTERM:\n{server.log()}", file=sys.stderr)
            return 1
        return code
    except RuntimeError as error:
        print(f"serve.py: {error}", file=sys.stderr)
        return 1
    finally:
        if server.alive():
            server.kill()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
