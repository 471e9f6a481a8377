"""A verifier as evidence: what a reward function paid for right, wrong, degenerate and oddly written answers.

Plain numbers and texts only, so that a check can travel between processes. Every attempt carries what the same
verifier paid for the plain right and the plain wrong answer to that prompt: nothing is judged by its absolute score.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

ATTACK, FORM = "attack", "form"
"""Families of attempts: an answer that should not be paid, and a right answer in another form."""

RAISED, HUNG, DIED, NO_NUMBER = "raised", "hung", "died", "no number"
"""How a call can fail."""

SPACING, BEHAVIOUR, NOTATION, VERBATIM = "spacing", "behaviour", "notation", "verbatim"
"""What another form changes: blanks around it, how code is written that does the same, how the answer is spelled, or
nothing at all."""

AGAIN, COMPANY = "again", "company"
"""What was different when a text got another score: the process and the order, or the rest of its batch."""

NEGLIGIBLE = 1e-9


class VerifierAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One text that the verifier was asked about.

    `text` and `prompt` are cut to a length that fits on a screen; `characters` is the length of the whole text. `score`
    is what was paid, None where nothing was; `again` the same asked later, in another process and order. `right`
    and `wrong` are the scores of the plain right answer and of the lowest paid plain wrong one. `failed` is a word of
    this module where the call went wrong, `error` says what happened. `executed` tells that the answer was run as code
    by a verifier of answers that are none. `change` says what a form changes. `knowing`
    marks a wrong answer that was made from the right one.
    """

    family: str
    kind: str
    case: int
    prompt: str
    answer: str
    text: str
    characters: int
    right: float
    wrong: float
    score: float | None = None
    again: float | None = None
    failed: str = ""
    error: str = ""
    executed: bool = False
    change: str = ""
    domain: str = ""
    knowing: bool = False

    @property
    def apart(self) -> bool:
        """Whether the verifier pays the right answer more than the wrong one here."""
        return self.right - self.wrong > NEGLIGIBLE

    @property
    def share(self) -> float:
        """How far the score is from wrong (0) to right (1), the lower one where it was asked twice."""
        scores = [score for score in (self.score, self.again) if score is not None]
        if not scores or not self.apart:
            return math.nan
        return (min(scores) - self.wrong) / (self.right - self.wrong)

    def paid(self, share: float) -> bool:
        """Whether it got at least this share of the way from wrong to right, and anything at all.

        A score of nothing is no pay where wrong answers cost something: leaving a question out may be worth more than
        a mistake.
        """
        if not self.share >= share or self.score is None:
            return False
        return self.right <= 0.0 or min(self.score, self.again if self.again is not None else self.score) > 0.0


class UnsteadyScore(msgspec.Struct, frozen=True, kw_only=True):
    """A text that got two scores. `how` is a word of this module, `span` what lies between wrong and right."""

    how: str
    kind: str
    prompt: str
    text: str
    first: float
    second: float
    span: float


class VerifierCheck(msgspec.Struct, frozen=True, kw_only=True):
    """All that was seen of one verifier.

    `domains` are the kinds of questions on which it told right from wrong (`given` for the user's own), `carriers` the
    forms in which it wants the answers to each. `asked` counts the cases tried and `apart` those told apart. `levels`
    holds the scores that right, wrong and no answers got where no kind of question was told apart. `answerless` is true
    where the function is not given the right answer, or does not look at it. `miscounted` holds the completions and the
    scores of a batch where these are not as many. `stopped` is true where the time was up.
    """

    name: str
    style: str = ""
    given: bool = False
    domains: tuple[str, ...] = ()
    carriers: dict[str, str] = {}
    asked: int = 0
    apart: int = 0
    attempts: tuple[VerifierAttempt, ...] = ()
    unsteady: tuple[UnsteadyScore, ...] = ()
    levels: dict[str, float] = {}
    answerless: bool = False
    miscounted: tuple[int, int] | None = None
    repeated: int = 0
    calls: int = 0
    stopped: bool = False
    isolated: bool = True
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def __contains__(self, name: object) -> bool:
        """Whether this part was examined."""
        return isinstance(name, str) and bool(getattr(self, name, None))

    @property
    def called(self) -> str:
        """The name of the function alone."""
        return self.name.rpartition(":")[2]

    def of(self, family: str) -> tuple[VerifierAttempt, ...]:
        """The attempts of a family."""
        return tuple(attempt for attempt in self.attempts if attempt.family == family)


def group_by_kind(attempts: Iterable[VerifierAttempt]) -> dict[str, list[VerifierAttempt]]:
    """Attempts by their kind, in the order of the first of each."""
    found: dict[str, list[VerifierAttempt]] = {}
    for attempt in attempts:
        found.setdefault(attempt.kind, []).append(attempt)
    return found
