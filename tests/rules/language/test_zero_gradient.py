from __future__ import annotations

import numpy as np
import pytest

from tests.curves import noisy, rising, run_of
from tests.sampled import Training
from weaklink.base.finding import CannotTell, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM312")
GRPO = {"algo": "grpo"}
ZERO, ONE = np.zeros(100), np.ones(100)


def sick_runs():
    return [
        # ms-swift#5890
        run_of({"optimizer.gradient_norm": ZERO, "reward.group_std": noisy(0.4, 0.05)}, GRPO),
        run_of({"optimizer.gradient_norm": ZERO, "reward.zero_spread_fraction": noisy(0.2, 0.02)}, GRPO),
        # trl#3857: the spread lies between prompts only
        run_of(
            {"optimizer.gradient_norm": ZERO, "reward.zero_spread_fraction": ONE, "reward.std": noisy(5.08, 0.1)}, GRPO
        ),
        # autocontext#1067
        run_of(
            {"optimizer.gradient_norm": ZERO, "reward.zero_spread_fraction": ONE, "task.truncated_fraction": ONE}, GRPO
        ),
        run_of(
            {
                "optimizer.gradient_norm": np.append(noisy(0.3, 0.02, points=60), np.zeros(40)),
                "reward.mean": rising(0.2, 1),
                "reward.zero_spread_fraction": np.append(noisy(0.2, 0.02, points=60), np.ones(40)),
            },
            GRPO,
        ),
    ]


def healthy_runs():
    now_and_then = noisy(0.3, 0.05)
    now_and_then[::4] = 0.0
    return [
        # trl#3452: the loss reads 0, the gradient does not
        run_of(
            {"optimizer.loss": ZERO, "optimizer.gradient_norm": noisy(0.087, 0.01), "reward.std": noisy(0.57, 0.02)},
            GRPO,
        ),
        run_of({"optimizer.gradient_norm": now_and_then, "reward.zero_spread_fraction": noisy(0.3, 0.05)}, GRPO),
        run_of({"optimizer.gradient_norm": np.full(100, 1e-9), "reward.std": noisy(0.57, 0.02)}, GRPO),
        run_of({"optimizer.gradient_norm": ZERO, "reward.std": noisy(0.57, 0.02)}, {"algo": "ppo"}),
        run_of({"optimizer.gradient_norm": ZERO}, GRPO),
    ]


def sick_samples():
    t = Training()
    right = t.chance(0.4)
    return [
        t.samples(reward=right, advantage=np.zeros(t.rows)),
        t.samples(group=None, reward=right, advantage=np.zeros(t.rows)),
        t.samples(reward=right, advantage=np.where(t.progress > 0.7, 0.0, right - 0.4)),
    ]


def healthy_samples():
    t = Training()
    right, either = t.chance(0.4), (t.hardness > 0) * 1.0
    return [
        t.samples(reward=right, advantage=right - 0.4),
        # no spread, so there is no advantage
        t.samples(reward=either, advantage=np.zeros(t.rows)),
        # cut completions are left out of the loss
        t.samples(reward=right, advantage=np.zeros(t.rows), truncated=np.ones(t.rows)),
    ]


def sick():
    return [*sick_runs(), *sick_samples()]


def healthy():
    return [*healthy_runs(), *healthy_samples()]


@pytest.mark.parametrize(
    ("at", "level", "link"),
    [
        (0, Level.ERROR, Link.OPTIMIZER),
        (1, Level.ERROR, Link.OPTIMIZER),
        (2, Level.WARN, Link.REWARD),
        (3, Level.WARN, Link.TASK),
        (4, Level.INFO, Link.REWARD),
    ],
)
def test_tells_the_causes_apart(at, level, link):
    answer = RULE.ask(sick_runs()[at])
    assert (answer.level, answer.link) == (level, link)


def test_without_the_spread_it_cannot_tell():
    assert isinstance(RULE.ask(healthy_runs()[-1]), CannotTell)
