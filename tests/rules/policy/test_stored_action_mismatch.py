from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.rollouts import look
from weaklink.base.evidence.rollout import RolloutActions
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("POL202")


def drawn(seed: int = 0, steps: int = 64, members: int = 2, width: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.0, 0.8, (steps, members, width)).astype(np.float32)


def choices(seed: int = 0, steps: int = 64) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 4, (steps, 2, 1))


def kept(family: str = "on-policy", **given: Any):
    return look(actions=RolloutActions(**given), family=family)


def sick():
    raw, chosen = drawn(), choices()
    clipped = np.clip(raw, -1, 1)
    other = np.where(np.random.default_rng(3).random((64, 2, 1)) < 0.2, (chosen + 1) % 4, chosen)
    return [
        kept(stored=clipped, sampled=raw, executed=clipped),
        kept(stored=clipped, sampled=raw),
        kept(stored=np.clip(drawn(width=1), -0.5, 0.5), sampled=drawn(width=1)),
        kept(stored=np.roll(raw, 1, axis=0)[1:], sampled=raw[1:]),
        kept(stored=raw, sampled=raw, executed=drawn(seed=9)),
        kept(stored=chosen, executed=other),
        kept(stored=chosen, sampled=other),
        kept("off-policy", stored=drawn(seed=2), executed=raw),
        kept(stored=raw, executed=np.concatenate([raw[:1], raw[:-1]])),
    ]


def healthy():
    raw, chosen = drawn(), choices()
    low, high = np.array([-2.0, 0.0, 5.0]), np.array([2.0, 1.0, 9.0])
    scaled = low + (np.clip(raw, -1, 1) + 1) / 2 * (high - low)
    return [
        kept(stored=raw, sampled=raw.copy(), executed=np.clip(raw, -1, 1)),  # how PPO is done
        kept(stored=raw, sampled=raw, executed=scaled, rescaled=True),
        kept(stored=raw, sampled=raw, executed=np.tanh(raw)),
        kept(stored=np.tanh(raw), sampled=raw),  # squashed by the policy itself
        kept(
            "off-policy",
            stored=np.clip(raw, -1, 1),
            sampled=raw,
            executed=low + (np.clip(raw, -1, 1) + 1) / 2 * (high - low),
        ),
        kept(stored=chosen, sampled=chosen, executed=chosen.reshape(64, 2)),
        kept(stored=chosen.astype(np.float32), executed=chosen),
        kept(stored=raw.astype(np.float64), sampled=raw),
        kept(stored=np.clip(raw, -9, 9), sampled=raw),  # nothing reached a bound
        kept(stored=np.sign(raw), executed=2 * np.sign(raw), rescaled=True),
        kept(stored=raw),
        kept(stored=raw[:2], sampled=raw[:2] + 1),
    ]


@pytest.mark.parametrize(
    ("case", "words"), [(0, "clipped action is stored"), (3, "one step"), (5, "another action"), (8, "one step")]
)
def test_names_the_kind(case, words):
    assert words in RULE.ask(sick()[case]).message


def test_shapes_that_cannot_be_laid_beside_each_other():
    assert isinstance(RULE.ask(kept(stored=drawn(), sampled=drawn(width=2))), CannotTell)
