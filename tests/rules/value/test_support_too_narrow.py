from __future__ import annotations

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.value.support_too_narrow import support_too_narrow

NARROW = {"algo": "c51", "v_min": -5.0, "v_max": 5.0, "gamma": 0.99}
LONG = {"reward.episode_return": rising(24, 245), "task.episode_length": rising(24, 245)}


def made(values, config=NARROW, curves=LONG):
    return run_of({"value.q_mean": values, **curves}, config)


def sick():
    cost = {"reward.episode_return": noisy(-150, 5), "task.episode_length": noisy(150, 5)}
    return [
        made(rising(3, 4.9, 0.02)),
        made(rising(-1, -9.8, 0.02), {**NARROW, "v_min": -10.0, "v_max": 10.0}, cost),
    ]


def healthy():
    goal = {"reward.episode_return": rising(0.2, 1.0), "task.episode_length": rising(40, 8)}
    return [
        # wide enough, and values that lie within
        made(rising(10, 88), {**NARROW, "v_min": -100.0, "v_max": 100.0}),
        made(ramp(0, 3, 0.05)),
        # a goal that pays 1: the values come close to an end that nothing lies beyond
        made(rising(0.1, 0.96, 0.01), {**NARROW, "v_min": 0.0, "v_max": 1.0}, goal),
        # rewards that are clipped or scaled before they are learned from
        made(rising(3, 9.8, 0.02), {**NARROW, "v_max": 10.0, "clip_rewards": True}),
        made(rising(3, 9.8, 0.02), {**NARROW, "v_max": 10.0, "reward_scale": 0.1}),
        made(rising(3, 9.8, 0.02), {**NARROW, "v_max": 10.0, "env_id": "BreakoutNoFrameskip-v4"}),
        # early: few points of values
        made(noisy(4.9, 0.01, points=5)),
    ]


def test_without_a_support_there_is_nothing_to_compare():
    assert isinstance(support_too_narrow.rule.ask(made(rising(3, 4.9), {"algo": "dqn"})), CannotTell)
