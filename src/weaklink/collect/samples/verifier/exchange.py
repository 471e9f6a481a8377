"""What the process that is asked and the one that asks say to each other, and how a call is made safe."""

from __future__ import annotations

import os
from collections.abc import Sequence

import msgspec

from weaklink.base.evidence.verifier import NO_NUMBER, RAISED
from weaklink.collect.samples.verifier.calling import CallConvention, NotANumber, RowScore, VerifierRow, WrongCount

MARK = "WEAKLINK_AN_ANSWER_RAN"
"""The environment variable that an answer sets where it is run as code inside of the verifier's own process."""

MOST_TOLD = 200


class VerifierRequest(msgspec.Struct, frozen=True):
    """Whom to ask. `memory` counts bytes on top of what loading the function takes."""

    word: str
    style: str
    memory: int
    seed: int


class ScoreRequest(msgspec.Struct, frozen=True):
    """One call, or one call for each row where the function takes one at a time."""

    rows: list[VerifierRow]
    chat: bool = False


class LoadReport(msgspec.Struct, frozen=True):
    """What is known once the function is loaded, or why it cannot be."""

    style: str = ""
    batched: bool = False
    parameters: tuple[str, ...] = ()
    answerless: bool = False
    unusable: str = ""


class VerifierReply(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a process says: first what is known of the function, then what rows got."""

    hello: LoadReport = LoadReport()
    scored: list[RowScore] = []


def score_rows(convention: CallConvention, rows: Sequence[VerifierRow], chat: bool) -> list[RowScore]:
    """What each row got; where the call raises, all rows of it did."""
    os.environ.pop(MARK, None)
    failed = error = ""
    count: int | None = None
    scores: list[float | None] = [None] * len(rows)
    try:
        scores = convention.scores(rows, chat)
    except KeyboardInterrupt:
        raise
    except NotANumber as odd:
        failed, error = NO_NUMBER, str(odd)
        count = odd.count if isinstance(odd, WrongCount) else None
    except BaseException as raised:  # SystemExit among them, which takes a trainer down
        failed, error = RAISED, f"{type(raised).__name__}: {' '.join(str(raised).split())}"[:MOST_TOLD].rstrip(" :")
    executed = os.environ.pop(MARK, None) is not None
    return [RowScore(score, failed, error, executed, count) for score in scores]


def note_miscount(known: dict[bool, tuple[int, int]], chat: bool, scored: Sequence[RowScore]) -> None:
    """Writes down the first batch that came back with another number of scores than it has completions."""
    if scored and scored[0].count is not None:
        known.setdefault(chat, (len(scored), scored[0].count))
