from __future__ import annotations

import numpy as np

from tests.sampled import Training


def solve(
    t: Training, reference: np.ndarray, right: np.ndarray, off: int = 0, since: int = 0, mixed: float = 0.0, **columns
):
    """Answers to prompts whose references are `off` places too far from a prompt on."""
    moved = np.roll(reference, off)
    moved[:since] = reference[:since]
    strange = np.flatnonzero(t.rng.random(len(moved)) < mixed)
    moved[strange] = moved[t.rng.permutation(strange)]
    answer = np.where(right == 1.0, reference[t.group], 10_000 + t.rng.integers(0, 9, t.rows))
    return t.samples(answer=answer, reference=moved[t.group], prompt=t.group, length=t.lengths(50), **columns)


def sick():
    t = Training()
    numbers = t.rng.permutation(t.steps * t.prompts)
    return [
        solve(t, numbers, t.chance(0.8), off=1, since=40),
        solve(t, numbers, t.chance(0.5), off=-1),
        solve(t, numbers, t.chance(0.7), off=3, since=100),
        # for four in ten prompts the reference is that of any other
        solve(t, numbers, t.chance(0.8), mixed=0.4),
    ]


def healthy():
    t = Training()
    count = t.steps * t.prompts
    numbers, small = t.rng.permutation(count), t.rng.integers(0, 12, count)
    return [
        solve(t, numbers, t.chance(0.7)),
        # hard prompts
        solve(t, numbers, t.chance(0.05)),
        # small numbers meet those of other prompts by chance
        t.samples(answer=t.rng.integers(0, 12, t.rows), reference=small[t.group], prompt=t.group, length=t.lengths(9)),
        # four letters
        t.samples(
            answer=t.rng.integers(0, 4, t.rows), reference=small[t.group] % 4, prompt=t.group, length=t.lengths(9)
        ),
        # two wordings of each question stand side by side
        solve(t, numbers // 2 * 2, t.chance(0.7)),
        # a few foreign references
        solve(t, numbers, t.chance(0.8), off=1, since=count - 10),
    ]
