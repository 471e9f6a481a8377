from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.sampled import Training
from weaklink.base.evidence.samples import Samples
from weaklink.collect.samples.answers import asks_percent


def asked(answers: np.ndarray, references: np.ndarray, t: Training, asks: np.ndarray | float = 1.0) -> Samples:
    """Answers and references in thousandths, to prompts that ask for per cent or not."""
    made = t.samples(
        answer=np.round(1000 * answers),
        reference=np.round(1000 * references),
        prompt=t.group,
        asks_percent=np.broadcast_to(asks, t.rows),
    )
    names = {int(code): f"{code / 1000:g}" for name in ("answer", "reference") for code in made.codes[name]}
    return replace(made, names={"answer": names, "reference": names})


def sick():
    t = Training()
    shares = t.rng.integers(2, 99, t.steps * t.prompts)[t.group].astype(float)
    right = t.chance(0.8)
    given = np.where(right == 1, shares, shares + 5)
    per_kind = (t.group % 3 == 0) * 1.0
    return [
        asked(given, shares / 100, t),
        # half of the questions ask for a share, and all others name per cent too
        asked(given, np.where(t.group % 2 == 0, shares / 100, shares), t),
        asked(given, np.where(per_kind == 1, shares / 100, shares), t, per_kind),
    ]


def healthy():
    t = Training()
    shares = t.rng.integers(2, 99, t.steps * t.prompts)[t.group].astype(float)
    given = np.where(t.chance(0.8) == 1, shares, shares + 5)
    return [
        asked(given, shares, t),
        # it is not yet known whether a fraction is meant
        asked(np.where(t.chance(0.5) == 1, shares, shares / 100), shares / 100, t),
        # nobody asks for per cent
        asked(given, shares / 100, t, 0.0),
        # one question, and answers that are a hundredfold by chance
        asked(np.full(t.rows, 50.0), np.full(t.rows, 0.5), t),
        asked(np.where(t.chance(0.2) == 1, 100 * shares, shares + 1), shares, t),
    ]


def test_what_asks_for_per_cent():
    assert asks_percent("What percentage of the bricks is broken?")
    assert asks_percent("Give the share in percent.")
    assert not asks_percent("Of 50 plums 20% are ripe. How many is that?")
    assert not asks_percent("What percent is that, as a decimal?")
