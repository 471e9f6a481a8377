"""A command run by a Ray cluster as if it ran here: what it is told, says and prints, and how it ends, is passed on.

`python -m weaklink.adapters.ray.relay ADDRESS COMMAND...` is that command for whoever starts it.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import IO, Any

from weaklink.base.outside import guard
from weaklink.base.outside.lending import CARRIED
from weaklink.base.outside.ownership import get_ownership

CHUNK = 1 << 20
WAIT = 5.0
"""Seconds after which an answer without news is given, so that a lost connection is noticed."""
LOST = 87
"""The exit code of a relay whose cluster did not start the command, or lost it."""

News = tuple[bytes, bytes, int | None]
"""What was said, what was printed, and the exit code once it ended."""


class RemoteProcess:
    """A command in a process of Ray; the command ends with that process, however that ends."""

    def __init__(self, words: Sequence[str], folder: str, environment: dict[str, str], python: str) -> None:
        own = sys.executable if words[0] == python else words[0]
        marks = f"{environment.get(guard.OWNER, '')} {get_ownership().next_mark()}".strip()
        self._news: queue.Queue[tuple[int, bytes]] = queue.Queue()
        self._process = subprocess.Popen(
            [own, *words[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, **environment, guard.OWNER: marks},
            start_new_session=True,
        )
        get_ownership().tell(guard.PROCESS, "+", str(self._process.pid))
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._open = 2
        for number, stream in ((1, self._process.stdout), (2, self._process.stderr)):
            threading.Thread(target=self._pump, args=(number, stream), daemon=True).start()

    def _pump(self, number: int, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(stream.fileno(), CHUNK):
                self._news.put((number, chunk))
        self._news.put((number, b""))

    def write(self, content: bytes) -> None:
        """Tells it something; nothing is the end of all that there is to tell."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            if content:
                self._process.stdin.write(content)
                self._process.stdin.flush()
            else:
                self._process.stdin.close()

    def interrupt(self) -> None:
        """As Ctrl-C does."""
        self._process.send_signal(signal.SIGINT)

    def read(self) -> News:
        """What came of it since the last time."""
        parts: dict[int, list[bytes]] = {1: [], 2: []}
        with contextlib.suppress(queue.Empty):
            self._take(parts, WAIT)
            while True:
                self._take(parts, 0.0)
        code = self._process.poll()
        ended = code is not None and (self._open == 0 or not any(parts.values()))
        return b"".join(parts[1]), b"".join(parts[2]), code if ended else None

    def _take(self, parts: dict[int, list[bytes]], seconds: float) -> None:
        number, chunk = self._news.get(timeout=seconds) if seconds else self._news.get_nowait()
        self._open -= not chunk
        parts[number].append(chunk)


class CommandRelay:
    """This process in the place of the command.

    Args:
        address: of the cluster.
        words: the command.
    """

    def __init__(self, address: str, words: Sequence[str]) -> None:
        import ray

        self._ray: Any = ray
        self._streams = {1: os.dup(1), 2: os.dup(2)}
        os.dup2(2, 1)  # what Ray prints is nothing that the command says
        ray.init(address=address, log_to_driver=False, configure_logging=False)
        made = ray.remote(num_cpus=1, max_concurrency=4)(RemoteProcess)
        carried = json.loads(os.environ.get(CARRIED, "{}"))
        self._process = made.remote(list(words), os.getcwd(), carried, sys.executable)

    def run(self) -> int:
        """Passes everything on until the command has ended; its exit code."""
        threading.Thread(target=self._tell, daemon=True).start()
        while True:
            try:
                said, printed, code = self._ray.get(self._process.read.remote())
                for number, content in ((1, said), (2, printed)):
                    self._pass_on(number, content)
                if code is not None:
                    return int(code)
            except KeyboardInterrupt:
                self._process.interrupt.remote()

    def _tell(self) -> None:
        """Tells the command what this process is told, in its order."""
        content = b"."
        while content:
            content = os.read(0, CHUNK)
            self._ray.get(self._process.write.remote(content))

    def _pass_on(self, number: int, content: bytes) -> None:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(self._streams[number], rest) :]


def main() -> None:
    """Runs the command of the command line."""
    try:
        code = CommandRelay(sys.argv[1], sys.argv[2:]).run()
    except Exception as error:
        told = (str(error).strip().splitlines() or [type(error).__name__])[-1]
        print(f"the cluster did not run this to its end: {told[:300]}", file=sys.stderr, flush=True)
        code = LOST
    if code < 0:  # it died of a signal, and so does this
        with contextlib.suppress(OSError):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
