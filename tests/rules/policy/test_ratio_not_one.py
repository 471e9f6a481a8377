from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.recoveries import continuous, single
from tests.rollouts import look
from weaklink.base.evidence.rollout import Estimates, Probabilities, RolloutActions, SampleAges
from weaklink.base.finding import CannotTell, Finding
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("POL201")


def gaussian(seed: int = 0, rows: int = 256, width: int = 3, bound: float = 1.0) -> dict[str, np.ndarray]:
    """Draws from a normal policy with their log-probabilities, in 32-bit numbers."""
    rng = np.random.default_rng(seed)
    means = rng.normal(0.0, 0.5, (rows, width)).astype(np.float32)
    drawn = (means + rng.normal(0.0, 0.7, (rows, width))).astype(np.float32)
    return {"means": means, "drawn": drawn, "clipped": np.clip(drawn, -bound, bound)}


def log_prob(actions: np.ndarray, means: np.ndarray, deviation: float = 0.7) -> np.ndarray:
    scaled = (actions - means) / np.float32(deviation)
    return (-0.5 * scaled**2 - np.log(np.float32(deviation)) - np.float32(0.5 * np.log(2 * np.pi))).sum(axis=1)


def asked(stored: np.ndarray, fresh: np.ndarray | None, *, floor: float = 0.0, **parts: Any):
    return look(probabilities=Probabilities(stored=stored, fresh=fresh, floor=floor), **parts)


def sick():
    made = gaussian()
    right = log_prob(made["drawn"], made["means"])
    tanh = np.log1p(-(np.tanh(made["drawn"]) ** 2) + 1e-6).sum(axis=1)
    of_clipped = log_prob(made["clipped"], made["means"])
    grid = np.zeros((64, 4), np.float32)
    stale, growing = grid.copy(), grid + np.linspace(0, 0.2, 64, dtype=np.float32)[:, None]
    growing[:16] = 0.0
    stale[:, 1] = 0.3
    whole = Estimates(rewards=grid)
    clipped = RolloutActions(stored=made["clipped"], sampled=made["drawn"])
    return [
        asked(right - tanh, right),
        asked(right, right + np.float32(0.7)),
        asked(right, of_clipped, actions=clipped),
        asked(right, right + stale.ravel(), estimates=whole),
        asked(right, right + growing.ravel(), estimates=whole),
        asked(right, log_prob(made["drawn"], made["means"], 0.9)),
        asked(right, right + np.float32(0.5), floor=0.01),
        continuous("clipped kept"),
        single("at the bound"),
    ]


def healthy():
    made = gaussian()
    right = log_prob(made["drawn"], made["means"])
    in_double = log_prob(made["drawn"].astype(np.float64), made["means"].astype(np.float64))
    rng = np.random.default_rng(1)
    few = right.copy()
    few[0] += 3.0
    narrow = log_prob(made["drawn"], made["means"], 0.01)
    narrow_again = log_prob(made["drawn"].astype(np.float64), made["means"].astype(np.float64), 0.01)
    return [
        continuous(),  # its actions are clipped too, and what was drawn is stored
        single("beyond the bound"),
        asked(right, right.copy()),
        asked(right, in_double),
        asked(narrow, narrow_again),  # large numbers lose more digits
        asked(right, few),  # a single row
        asked(right, right + rng.normal(0, 0.01, 256), floor=0.02),  # sixteen bits
        asked(right, right + rng.normal(0, 2e-4, 256)),
        asked(right, None),
        asked(right[:4], right[:4] + 1),
        asked(right, right + 1, family="off-policy"),
        asked(right, right + 1, ages=SampleAges(updates=np.ones(256), tolerated=2)),
    ]


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (1, "all rows by +0.7"),
        (2, "only rows whose action was clipped"),
        (3, "only in 1 of 4 environments"),
        (4, "more and more with time"),
    ],
)
def test_says_what_the_rows_have_in_common(case, words):
    assert words in RULE.ask(sick()[case]).message


def test_the_limit():
    right = log_prob(gaussian()["drawn"], gaussian()["means"])
    assert RULE.ask(asked(right, right + 9e-4)) is None
    assert isinstance(RULE.ask(asked(right, right + 1.1e-3)), Finding)
    assert RULE.ask(asked(right, right + 1.1e-3), {"gap": 2e-3}) is None


def test_what_is_not_finite_is_left_out():
    right = log_prob(gaussian()["drawn"], gaussian()["means"])
    broken = right.copy()
    broken[:100] = -np.inf
    assert RULE.ask(asked(broken, right)) is None
    assert isinstance(RULE.ask(asked(np.full(256, np.nan), right)), CannotTell)
