"""Checks of verifiers, written down."""

from __future__ import annotations

from typing import Any

from weaklink.base.evidence.verifier import ATTACK, FORM, VerifierAttempt, VerifierCheck

PROMPT = "Ada packs six crates with seven jars each. How many jars does she pack?"


def attempt(kind: str, text: str, score: float | None, **more: Any) -> VerifierAttempt:
    """An attack on a verifier that pays 1 for right and 0 for wrong."""
    facts = {"family": ATTACK, "case": 0, "right": 1.0, "wrong": 0.0, "domain": "maths", **more}
    return VerifierAttempt(kind=kind, prompt=PROMPT, answer="42", text=text, characters=len(text), score=score, **facts)


def form(kind: str, change: str, text: str, score: float | None, **more: Any) -> VerifierAttempt:
    """A right answer in another form."""
    return attempt(kind, text, score, family=FORM, change=change, **more)


def checked(*attempts: VerifierAttempt, **more: Any) -> VerifierCheck:
    """What was seen of a verifier that knows maths."""
    facts = {"name": "rewards.py:reward", "style": "plain", "domains": ("maths",), "asked": 3, "apart": 3, **more}
    return VerifierCheck(attempts=attempts, **facts)
