from __future__ import annotations

import gymnasium
import numpy as np
import pytest
import torch
from torch import nn

from tests.monitor.reading.listening import read_updates
from tests.recoveries import dqn, q_loop, soft_loop
from weaklink.base.evidence.flaw_kinds import SAME_SEED
from weaklink.collect.monitor.reading.collecting import find_collecting_flaws
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("ENV202")


def sick():
    return [q_loop("same seed")]


def healthy():
    return [q_loop(), soft_loop(), dqn()]


def test_counts_the_resets():
    assert "resets of CartPoleEnv were given the seed of the reset before" in RULE.ask(q_loop("same seed")).message
    assert RULE.ask(q_loop()) is None


def learn_beside(again: bool) -> None:
    """A policy over four environments that are stepped one by one; each reset has the seed of the first, or none."""
    torch.manual_seed(0)
    envs = [gymnasium.make("CartPole-v1") for _ in range(4)]
    policy = nn.Linear(4, 2)
    mover = torch.optim.Adam(policy.parameters(), lr=1e-3)
    seen = [env.reset(seed=7)[0] for env in envs]
    for _ in range(2):
        rows = []
        for _ in range(60):
            spread = torch.distributions.Categorical(logits=policy(torch.as_tensor(np.stack(seen))))
            action = spread.sample()
            rows.append(spread.log_prob(action))
            for place, env in enumerate(envs):
                seen[place], _, over, cut, _ = env.step(int(action[place]))
                if over or cut:
                    seen[place] = env.reset(seed=7 if again else None)[0]
        mover.zero_grad()
        (-torch.stack(rows).mean()).backward()
        mover.step()


@pytest.mark.parametrize("again", [True, False])
def test_the_first_reset_of_each_of_several_environments_repeats_none(again):
    reading = read_updates(lambda: learn_beside(again), 2)[1]
    flaws = [flaw.kind for flaw in find_collecting_flaws(reading)]
    assert (SAME_SEED in flaws) is again
