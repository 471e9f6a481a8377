"""The course of a training: steps, groups of completions of one prompt, and a policy that gets better at it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from bench.audited import language_words as words
from bench.audited.labelled import Rows

TOKENS_PER_WORD = 1.35
LONG = 20
"""Trainings from this many steps on come in several lengths."""


@dataclass(frozen=True)
class Moment:
    """What is about to be written: when, on what, and whether it will be right. `late` goes from 0 to 1."""

    rng: Random
    late: float
    step: int
    problem: words.Problem
    right: bool
    place: int


Write = Callable[[Moment], str]
Pay = Callable[[Moment, str], dict[str, Any]]
Ask = Callable[[Random, float], words.Problem]


def maths(rng: Random, _late: float) -> words.Problem:
    """A word problem."""
    return words.problem(rng)


def open_question(rng: Random, _late: float) -> words.Problem:
    """A question that has many answers."""
    return words.question(rng)


def solved(moment: Moment) -> str:
    """Sums in words, of middling depth throughout."""
    return words.reasoning(moment.rng, moment.problem, reply(moment), depth=0.5)


def told(moment: Moment) -> str:
    """A few sentences on an open question."""
    return words.prose(moment.rng, moment.rng.randint(4, 9))


def reply(moment: Moment) -> str:
    """The answer that this completion gives."""
    return moment.problem.answer if moment.right else words.wrong(moment.rng, moment.problem.answer)


def verified(moment: Moment, _text: str) -> dict[str, Any]:
    """What a verifier pays: 1 for a right answer."""
    return {"reward": float(moment.right), "gold": float(moment.right)}


def between(first: float, last: float, late: float, *, bend: float = 1.0) -> float:
    """From the one to the other as training goes on."""
    return first + (last - first) * late**bend


def noisy(rng: Random, value: float, spread: float, low: float = -math.inf, high: float = math.inf) -> float:
    """The value with noise, within bounds."""
    return round(min(high, max(low, rng.gauss(value, spread))), 4)


def course(
    seed: int,
    name: str,
    *,
    write: Write = solved,
    pay: Pay = verified,
    ask: Ask = maths,
    skill: tuple[float, float] = (0.3, 0.65),
    steps: int = 40,
    prompts: int = 4,
    group: int = 8,
    spread: float = 1.6,
    tokens: bool = True,
    more: Callable[[Moment, str], dict[str, Any]] | None = None,
) -> Rows:
    """Rows of a whole training.

    Seeds differ in how long the training is and how often it was sampled. `skill` is the share of right completions
    at both ends of it; prompts differ in how hard they are by `spread`. `more` adds fields, or replaces them, once
    everything else is known.
    """
    rng = Random(f"{name}:{seed}")
    every = rng.choice((1, 5, 10, 25))
    if steps >= LONG:
        steps = round(rng.choice((0.6, 1.0, 1.5)) * steps)
    rows: Rows = []
    for count in range(steps):
        late = count / max(1, steps - 1)
        for prompt in range(prompts):
            given = ask(rng, late)
            level = _logit(between(*skill, late)) + spread * (0.5 - given.difficulty)
            chance = 1 / (1 + math.exp(-level))
            for place in range(group):
                moment = Moment(rng, late, count * every, given, rng.random() < chance, place)
                text = write(moment)
                row: dict[str, Any] = {
                    "step": moment.step,
                    "group": f"{count}-{prompt}",
                    "prompt": given.prompt,
                    "completion": text,
                    **pay(moment, text),
                }
                if tokens:
                    row["response_len"] = max(1, round(len(text.split()) * TOKENS_PER_WORD + rng.randint(0, 3)))
                if more is not None:
                    row |= more(moment, text)
                rows.append(row)
    return rows


def _logit(share: float) -> float:
    share = min(0.995, max(0.005, share))
    return math.log(share / (1 - share))
