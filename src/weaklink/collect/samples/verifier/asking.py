"""Who asks the verifier: from outside, in a process that is ended where it hangs, or in this process."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.verifier import DIED, HUNG
from weaklink.base.outside.child import Supervisor, make_module_command
from weaklink.collect.samples.verifier.calling import CallConvention, RowScore, VerifierRow
from weaklink.collect.samples.verifier.exchange import (
    LoadReport,
    ScoreRequest,
    VerifierReply,
    VerifierRequest,
    note_miscount,
    score_rows,
)
from weaklink.collect.samples.verifier.loading import make_callable

START = 120.0
"""Most seconds for a verifier to be loaded: it may import a framework."""

LEEWAY = 5.0
"""Seconds for loading on top of the time that was given for asking, where that is shorter."""

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

    def ask(self, rows: Sequence[VerifierRow], chat: bool) -> list[RowScore]:
        """One result a row; nothing that the verifier does comes through."""

    def renew(self) -> None:
        """Begins again with another seed, in another process where there is one."""

    def close(self) -> None:
        """Leaves nothing running and everything as it was."""


class TooManyDeaths(Exception):
    """The process died or hung so often that asking on is pointless."""


class InProcessAsker:
    """Asks a function in this process, with the random numbers of the caller put back afterwards."""

    isolated = False

    def __init__(self, function: Callable[..., Any], style: str, seed: int) -> None:
        self._convention = CallConvention(make_callable(function, "given"), style)
        self.style, self.batched = self._convention.style, self._convention.batched
        self.parameters, self.calls = self._convention.parameters, 0
        self.answerless = self._convention.answerless
        self.miscounted: dict[bool, tuple[int, int]] = {}
        self._seed, self._kept = seed, random.getstate()
        random.seed(seed)

    def ask(self, rows: Sequence[VerifierRow], chat: bool) -> list[RowScore]:
        """Calls it; what it prints is not shown."""
        self.calls += 1
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            scored = score_rows(self._convention, rows, chat)
        note_miscount(self.miscounted, chat, scored)
        return scored

    def renew(self) -> None:
        """Another seed."""
        self._seed += 1
        random.seed(self._seed)

    def close(self) -> None:
        """Puts the random generator back."""
        random.setstate(self._kept)


class IsolatedAsker:
    """Asks a function by its name in a process of its own, and starts another one where that dies or hangs."""

    isolated = True

    def __init__(self, word: str, style: str, seed: int, memory: int, seconds: float, patience: float) -> None:
        self._request = VerifierRequest(word, style, memory, seed)
        self._start, self._patience = min(START, seconds + LEEWAY), patience
        self.miscounted: dict[bool, tuple[int, int]] = {}
        self._supervisor: Supervisor[VerifierReply] = Supervisor()
        self.deaths, self.calls = 0, 0
        try:
            hello = self._load()
        except BaseException:
            self.close()
            raise
        self.style, self.batched, self.parameters = hello.style, hello.batched, hello.parameters
        self.answerless = hello.answerless

    def _load(self) -> LoadReport:
        child = self._supervisor.start(
            make_module_command("weaklink.collect.samples.verifier.worker"),
            VerifierReply,
            self._request,
            seconds=self._start,
            environment={"PYTHONHASHSEED": str(self._request.seed % 2**32), "TOKENIZERS_PARALLELISM": "false"},
        )
        answer = self._heard()
        if answer is None and child.late:
            raise UsageError(
                f"The verifier {self._request.word} was not loaded within {self._start:g} seconds. --seconds gives "
                f"it more, up to {START:g}."
            )
        if answer is None:
            raise UsageError(f"The verifier {self._request.word} ended while it was loaded ({child.last_words()}).")
        if answer.hello.unusable:
            raise UsageError(answer.hello.unusable)
        return answer.hello

    def ask(self, rows: Sequence[VerifierRow], chat: bool) -> list[RowScore]:
        """Asks, and waits no longer than it may take."""
        if not self._supervisor.children:
            self._load()
        self.calls += 1
        child = self._supervisor.children[0]
        child.allow(self._patience)
        child.say(ScoreRequest(list(rows), chat))
        answer = self._heard()
        if answer is not None:
            note_miscount(self.miscounted, chat, answer.scored)
            return answer.scored
        self.deaths += 1
        if self.deaths > MOST_DEATHS:
            raise TooManyDeaths
        late = f"no answer within {self._patience:g} seconds"
        lost = RowScore(failed=HUNG, error=late) if child.late else RowScore(failed=DIED, error=child.last_words())
        return [lost] * len(rows)

    def _heard(self) -> VerifierReply | None:
        """The next answer; None where the process ended or took too long."""
        event = self._supervisor.wait()
        return None if event is None else event[1]

    def renew(self) -> None:
        """Another process with another seed, of its hash table too."""
        self.close()
        self._request = msgspec.structs.replace(self._request, seed=self._request.seed + 1)

    def close(self) -> None:
        """Ends the process and whatever it started."""
        self._supervisor.close()
