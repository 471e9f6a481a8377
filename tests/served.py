"""`weaklink watch --serve` in a process of its own, and browsers that are only ears: what they hear, and when."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.patience import PATIENCE

ROOT = Path(__file__).parents[1]
ADDRESS = re.compile(r"the page is at (\S+)")


class ServedWatch:
    """A running `weaklink watch --serve`; `url` is what it printed."""

    def __init__(self, *arguments: object, serve: str = "0", environment: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "weaklink", "watch", *map(str, arguments), "--serve", serve]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        self.url = self._address()

    def _address(self) -> str:
        assert self.process.stderr is not None
        said = self.process.stderr.readline()
        found = ADDRESS.search(said)
        if found is None:
            rest = self.process.stderr.read()
            self.process.wait()
            raise AssertionError(f"no address was printed: {said}{rest}")
        return found[1]

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    @property
    def token(self) -> str:
        return parse_qs(urlsplit(self.url).query)["token"][0]

    def ask(self, path: str, **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}", **headers})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def document(self) -> dict[str, Any]:
        return json.loads(self.ask("/document")[1])

    def interrupted(self) -> tuple[int, str, str]:
        """The exit code and what was said after Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        out, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, errors

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def served(*arguments: object, **options: Any) -> Iterator[ServedWatch]:
    watch = ServedWatch(*arguments, **options)
    try:
        yield watch
    finally:
        if watch.process.poll() is None:
            watch.kill()


class Ear:
    """One connection to the stream of events, and what was heard with the moment of hearing."""

    def __init__(self, watch: ServedWatch) -> None:
        self.heard: list[dict[str, Any]] = []
        self._connection = http.client.HTTPConnection("127.0.0.1", watch.port, timeout=PATIENCE)
        self._connection.request("GET", "/events", headers={"Authorization": f"Bearer {watch.token}"})
        self._answer = self._connection.getresponse()
        assert self._answer.status == 200
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        event = ""
        try:
            for line in self._answer:
                if line.startswith(b"event: "):
                    event = line[7:].decode().strip()
                elif line.startswith(b"data: "):
                    self.heard.append({"event": event, "data": json.loads(line[6:])})
        except (OSError, ValueError, http.client.HTTPException, AttributeError):  # the connection was closed
            pass

    def wait_for(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            found = next((one for one in self.heard if wanted(one)), None)
            if found is not None:
                return found
            time.sleep(0.005)
        raise AssertionError(f"not heard in {PATIENCE} s: {[one['event'] for one in self.heard]}")

    def close(self) -> None:
        """Hangs up; closing alone would not wake the thread that reads."""
        if self._connection.sock is not None:
            with contextlib.suppress(OSError):
                self._connection.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._answer.close()
        self._connection.close()


def is_alert(code: str) -> Callable[[dict[str, Any]], bool]:
    return lambda one: one["event"] == "alert" and one["data"]["code"] == code


def shows(code: str) -> Callable[[dict[str, Any]], bool]:
    """Whether an event brings a page with this finding."""
    return lambda one: (
        any(finding["code"] == code for page in one["data"].get("pages", ()) for finding in page["findings"])
        if one["event"] in ("document", "pages")
        else False
    )


@contextmanager
def growing(kind: str, folder: Path, *options: object) -> Iterator[float]:
    """A run that another process writes row by row, until the end of the block; when its finding was on disk."""
    command = [sys.executable, "-m", "tests.growing", kind, str(folder), "--endless", *map(str, options)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        try:
            assert writer.stdout is not None
            yield float(writer.stdout.readline())
        finally:
            writer.kill()
