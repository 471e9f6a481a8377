"""The example of a trainer of one's own learns, and hands over what can be recomputed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchrl")

import gymnasium  # noqa: E402
from gymnasium.spaces import Box, Discrete  # noqa: E402

from weaklink.adapters.torchrl.rollout import of_tensordict  # noqa: E402
from weaklink.base.reference.advantages import gae  # noqa: E402

FILE = Path(__file__).parents[2] / "examples" / "watch_mm_rkhs.py"
GAMMA = 0.9


class Matching(gymnasium.Env):
    """Two things to see; the action of the same number pays 1, the other nothing."""

    observation_space, action_space = Box(0, 1, (2,), np.float32), Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(2))
        return np.eye(2, dtype=np.float32)[self.place], {}

    def step(self, action):
        return np.eye(2, dtype=np.float32)[self.place], float(action == self.place), True, False, {}


class Told:
    """Takes what a monitor would be told."""

    stop = False

    def __init__(self):
        self.rollouts, self.updates = [], []

    def rollout(self, step, batch, *, modules, **given):
        self.rollouts.append(of_tensordict(batch, step=step, update=len(self.rollouts) + 1, **given))

    def update(self, step, numbers):
        self.updates.append(numbers)


def example():
    made = importlib.util.spec_from_file_location("watch_mm_rkhs", FILE)
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore")
def test_it_learns_the_same_with_and_without_a_monitor_and_what_it_tells_is_right():
    before = torch.get_num_threads(), torch.backends.mkldnn.enabled
    torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = False
    try:
        module, told = example(), Told()
        plain = module.train(Matching, 1024, seed=0, gamma=GAMMA)
        agent = module.train(Matching, 1024, seed=0, gamma=GAMMA, monitor=told)
    finally:
        torch.set_num_threads(before[0])
        torch.backends.mkldnn.enabled = before[1]
    rows = np.eye(2, dtype=np.float32)
    assert [agent.act(row) for row in rows] == [0, 1]
    assert [agent.value(row) for row in rows] == [plain.value(row) for row in rows]
    assert [agent.value(row) for row in rows] == pytest.approx([1.0, 1.0], abs=0.2)
    assert len(told.rollouts) == len(told.updates) == 4
    assert {"policy_loss", "value_loss", "entropy", "kl"} <= set(told.updates[0])
    for rollout in told.rollouts:
        seen = rollout.estimates
        right = gae(
            seen.rewards,
            seen.values,
            seen.terminated,
            seen.truncated,
            seen.last_value,
            seen.gamma,
            seen.lam,
            seen.final_values,
        )
        assert np.allclose(right, seen.advantages, atol=1e-4)
        assert np.allclose(rollout.probabilities.fresh, rollout.probabilities.stored, atol=1e-5)
