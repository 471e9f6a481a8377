"""Who asks the verifier: from outside, in a process that is ended where it hangs, or in this process."""

from __future__ import annotations

import contextlib
import os
import queue
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.verifier import DIED, HUNG
from weaklink.base.outside.processes import end, last_words
from weaklink.collect.samples.verifier.calling import Convention, Row, Scored
from weaklink.collect.samples.verifier.exchange import REQUEST, Ask, Hello, Request, answered, note_miscount
from weaklink.collect.samples.verifier.loading import function_of

START = 120.0
"""Most seconds for a verifier to be loaded: it may import a framework."""

LEEWAY = 5.0
"""Seconds for loading on top of the time that was given for asking, where that is shorter."""

POLL = 0.5
MOST_DEATHS = 12


class Asker(Protocol):
    """Whoever can be asked for scores."""

    style: str
    batched: bool
    parameters: tuple[str, ...]
    answerless: bool
    isolated: bool
    calls: int
    miscounted: dict[bool, tuple[int, int]]
    """Completions and scores of a batch where these differ, for texts and for chat messages."""

    def ask(self, rows: Sequence[Row], chat: bool) -> list[Scored]:
        """One result a row; nothing that the verifier does comes through."""

    def renew(self) -> None:
        """Begins again with another seed, in another process where there is one."""

    def close(self) -> None:
        """Leaves nothing running and everything as it was."""


class TooManyDeaths(Exception):
    """The process died or hung so often that asking on is pointless."""


class Here:
    """Asks a function in this process, with the random numbers of the caller put back afterwards."""

    isolated = False

    def __init__(self, function: Callable[..., Any], style: str, seed: int) -> None:
        self._convention = Convention(function_of(function, "given"), style)
        self.style, self.batched = self._convention.style, self._convention.batched
        self.parameters, self.calls = self._convention.parameters, 0
        self.answerless = self._convention.answerless
        self.miscounted: dict[bool, tuple[int, int]] = {}
        self._seed, self._kept = seed, random.getstate()
        random.seed(seed)

    def ask(self, rows: Sequence[Row], chat: bool) -> list[Scored]:
        """Calls it; what it prints is not shown."""
        self.calls += 1
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            scored = answered(self._convention, rows, chat)
        note_miscount(self.miscounted, chat, scored)
        return scored

    def renew(self) -> None:
        """Another seed."""
        self._seed += 1
        random.seed(self._seed)

    def close(self) -> None:
        """Puts the random generator back."""
        random.setstate(self._kept)


class Apart:
    """Asks a function by its name in a process of its own, and starts another one where that dies or hangs."""

    isolated = True

    def __init__(self, word: str, style: str, seed: int, memory: int, seconds: float, patience: float) -> None:
        self._request = Request(word, style, memory, seed)
        self._start, self._patience = min(START, seconds + LEEWAY), patience
        self.miscounted: dict[bool, tuple[int, int]] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="weaklink-")
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._errors: IO[bytes] | None = None
        self.deaths, self.calls = 0, 0
        try:
            hello = self._started()
        except BaseException:
            self.close()
            raise
        self.style, self.batched, self.parameters = hello.style, hello.batched, hello.parameters
        self.answerless = hello.answerless

    def _started(self) -> Hello:
        folder = Path(self._folder.name)
        (folder / REQUEST).write_bytes(msgspec.json.encode(self._request))
        self._errors = (folder / "errors").open("wb")
        self._lines = queue.Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "weaklink.collect.samples.verifier.worker", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=os.environ | {"PYTHONHASHSEED": str(self._request.seed % 2**32), "TOKENIZERS_PARALLELISM": "false"},
            start_new_session=os.name == "posix",
        )
        threading.Thread(target=_listen, args=(self._process.stdout, self._lines), daemon=True).start()
        line = self._heard(self._start)
        if line is None:
            raise UsageError(
                f"The verifier {self._request.word} was not loaded within {self._start:g} seconds. --seconds gives "
                f"it more, up to {START:g}."
            )
        if not line:
            raise UsageError(f"The verifier {self._request.word} ended while it was loaded ({self._last_words()}).")
        hello = msgspec.json.decode(line, type=Hello)
        if hello.unusable:
            raise UsageError(hello.unusable)
        return hello

    def ask(self, rows: Sequence[Row], chat: bool) -> list[Scored]:
        """Asks, and waits no longer than it may take."""
        if self._process is None:
            self._started()
        self.calls += 1
        process = self._process
        assert process is not None
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # a process that is gone is noticed below
            process.stdin.write(msgspec.json.encode(Ask(list(rows), chat)) + b"\n")
            process.stdin.flush()
        line = self._heard(self._patience)
        if line:
            answers = msgspec.json.decode(line, type=list[Scored])
            note_miscount(self.miscounted, chat, answers)
            return answers
        scored = Scored(failed=HUNG, error=f"no answer within {self._patience:g} seconds")
        if line is not None:
            process.wait()
            scored = Scored(failed=DIED, error=self._last_words())
        self._end()
        self.deaths += 1
        if self.deaths > MOST_DEATHS:
            raise TooManyDeaths
        return [scored] * len(rows)

    def _heard(self, seconds: float) -> bytes | None:
        """The next line; empty where the process ended, None where it took too long."""
        assert self._process is not None
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=min(POLL, left))
            except queue.Empty:
                if self._process.poll() is not None and self._lines.empty():
                    return b""
                continue
            return line or b""
        return None

    def _last_words(self) -> str:
        assert self._process is not None
        told = Path(self._folder.name, "errors").read_text(encoding="utf-8", errors="replace")
        code = self._process.poll()
        return last_words(code, told if code else "") if code is not None else "it ended"

    def renew(self) -> None:
        """Another process with another seed, of its hash table too."""
        self._end()
        self._request = msgspec.structs.replace(self._request, seed=self._request.seed + 1)

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        end(process)
        with contextlib.suppress(OSError):
            assert process.stdin is not None
            process.stdin.close()
        if self._errors is not None:
            self._errors.close()

    def close(self) -> None:
        """Ends the process and whatever it started."""
        self._end()
        self._folder.cleanup()


def _listen(output: IO[bytes], lines: queue.Queue[bytes | None]) -> None:
    with contextlib.suppress(OSError, ValueError), output:
        for line in output:
            lines.put(line)
    lines.put(None)
