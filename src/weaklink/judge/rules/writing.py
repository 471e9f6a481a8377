"""All that a rule is written with, in one import: what it says, whom it blames, and the decorator that declares it."""

from __future__ import annotations

from weaklink.base.finding import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, answer_with
from weaklink.base.loop import Link
from weaklink.judge.rules._declarations import BareLimit
from weaklink.judge.rules._registry import rule

__all__ = [
    "HIGH", "LOW", "MEDIUM", "Answer", "BareLimit", "CannotTell", "Evidence", "Finding", "Level", "Link", "answer_with",
    "rule",
]  # fmt: skip
