from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of
from weaklink.base.loop import Link
from weaklink.judge.rules.returns.targets_without_future import targets_without_future

LENGTH = rising(20, 150)


def actor_critic(targets, rollout=5, gamma=0.99, returns=LENGTH):
    config = {"algo": "a2c", "n_steps": rollout, "gamma": gamma}
    return run_of(
        {"reward.episode_return": returns, "task.episode_length": LENGTH, "returns.target_mean": targets}, config
    )


def learner(values, **config):
    curves = {"reward.episode_return": np.full(100, 10.0), "task.episode_length": np.full(100, 10.0)}
    return run_of({**curves, "value.q_mean": values}, {"gamma": 0.99, **config})


def sick():
    return [actor_critic(noisy(3.0, 0.05)), learner(noisy(1.02, 0.01), algo="dqn")]


def healthy():
    return [
        actor_critic(rising(3, 45)),
        actor_critic(noisy(3.0, 0.05), gamma=0.5),  # little follows
        actor_critic(noisy(3.0, 0.05), returns=LENGTH * np.abs(noisy(1.0, 0.2))),  # steps are paid differently
        actor_critic(noisy(1.0, 0.3)),  # normalised
        actor_critic(noisy(20, 1), rollout=64),
        learner(noisy(5.2, 0.3), algo="dqn"),
    ]


def test_a_learner_with_a_network_lacks_the_value_of_its_target_network():
    assert targets_without_future.rule.ask(sick()[0]).link is Link.RETURNS
    assert targets_without_future.rule.ask(sick()[1]).link is Link.VALUE
