from __future__ import annotations

from typing import Any

import numpy as np

from tests.rollouts import look
from weaklink.base.evidence.rollout import Recurrence
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("DAT204")


def collected(*, resets: bool, shuffled: bool = False, steps: int = 60) -> Recurrence:
    """A small recurrent policy that collects with or without resets, and its replay with and without them."""
    rng = np.random.default_rng(0)
    seen, starts = rng.normal(size=steps), np.arange(steps) % 15 == 0
    actions = rng.choice([-1.0, 1.0], steps)

    def run(observations: np.ndarray, reset: bool) -> np.ndarray:
        state, out = 0.0, []
        for observation, start, action in zip(observations, starts, actions, strict=True):
            state = 0.0 if reset and start else state
            state = np.tanh(0.9 * state + observation)
            out.append(-np.log1p(np.exp(-action * 2 * state)))
        return np.array(out)

    stored = run(rng.permutation(seen) if shuffled else seen, resets)
    gaps = [float(np.abs(stored - run(seen, reset)).max()) for reset in (True, False)]
    return Recurrence(replay_gap=gaps[0], unreset_gap=gaps[1], starts=int(starts.sum()))


def seen(**given: Any):
    return look(recurrence=Recurrence(**({"replay_gap": 1e-6, "starts": 3} | given)))


def sick():
    return [
        look(recurrence=collected(resets=False)),
        look(recurrence=collected(resets=True, shuffled=True)),
        seen(replay_gap=0.02, unreset_gap=1e-6, state_at_starts=0.7),
        seen(replay_gap=0.02),
        seen(replay_gap=0.02, starts=0),
    ]


def healthy():
    return [
        look(recurrence=collected(resets=True)),
        seen(),
        seen(replay_gap=9e-4),
        seen(replay_gap=0.02, floor=0.005),  # sixteen bits
        seen(starts=0),
        seen(replay_gap=float("nan")),
    ]


def test_tells_a_leak_from_other_states():
    leak, shuffled, *_ = (RULE.ask(case).message for case in sick())
    assert "not reset at episode starts" in leak
    assert "do not reproduce the rollout" in shuffled


def test_no_start_proves_no_reset():
    assert isinstance(RULE.ask(seen(starts=0)), CannotTell)
