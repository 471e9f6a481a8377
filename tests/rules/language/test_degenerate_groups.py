from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.curves import noise, noisy, ramp, rising, run_of
from tests.sampled import Training
from weaklink.base.finding import CannotTell, Level
from weaklink.base.loop import Link
from weaklink.collect.samples.curves import make_curves
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM308")
NONE = np.clip(noisy(0.95, 0.02), 0, 1)
SELDOM = np.where(np.arange(100) % 25 == 24, 0.02, 0.0)


def sick_runs():
    return [
        run_of({"reward.zero_spread_fraction": NONE, "reward.mean": np.abs(noisy(0.02, 0.01))}),
        run_of({"reward.zero_spread_fraction": NONE, "reward.mean": noisy(0.97, 0.01)}),
        run_of({"reward.zero_spread_fraction": NONE, "reward.mean": noisy(0.5, 0.1), "reward.std": noisy(0.5, 0.02)}),
        run_of({"reward.zero_spread_fraction": ramp(0.1, 1.0, 0.02), "reward.mean": rising(0.2, 0.98)}),
        run_of({"reward.zero_spread_fraction": noisy(0.65, 0.04), "reward.mean": noisy(0.5, 0.05)}),
        run_of(
            {
                "reward.zero_spread_fraction": np.ones(100),
                "reward.mean": np.zeros(100),
                "task.truncated_fraction": np.ones(100),
            }
        ),
        run_of({"reward.zero_spread_fraction": NONE}),
        run_of({"reward.zero_spread_fraction": np.ones(100), "reward.mean": np.zeros(100)}),
        run_of({"reward.zero_spread_fraction": np.ones(100), "reward.mean": np.full(100, -0.5)}),
        # nothing but form is rewarded, and all have it
        run_of(
            {
                "reward.zero_spread_fraction": np.ones(100),
                "reward.mean": np.ones(100),
                "reward.component.format_reward": np.ones(100),
            }
        ),
        # solved, and paid a hundredth for each answer
        run_of({"reward.zero_spread_fraction": ramp(0.1, 1.0, 0.02), "reward.mean": rising(0.002, 0.0098)}),
        # the share is not logged, the spread is
        run_of({"reward.group_std": SELDOM, "reward.mean": SELDOM / 4}),
        # nothing was ever right, and evaluations say so as well
        run_of(
            {
                "reward.zero_spread_fraction": np.ones(100),
                "reward.mean": np.zeros(100),
                "evaluation.score": np.zeros(20),
            }
        ),
        # sampled so cold that the answers of a group are one
        run_of({"reward.zero_spread_fraction": NONE, "reward.mean": noisy(0.5, 0.1)}, {"temperature": 0.05}),
    ]


def healthy_runs():
    return [
        run_of({"reward.zero_spread_fraction": noisy(0.3, 0.1), "reward.mean": rising(0.2, 0.6)}),
        run_of({"reward.zero_spread_fraction": ramp(0.95, 0.2, 0.02), "reward.mean": rising(0.0, 0.6)}),
        run_of({"reward.group_std": noisy(0.2, 0.02), "reward.mean": noisy(0.1, 0.01)}),
        # nothing was right at first
        run_of({"reward.group_std": np.maximum(ramp(-0.1, 0.3), 0.0), "reward.mean": rising(0.0, 0.4)}),
    ]


def sick_samples():
    t = Training()
    nothing, either = np.zeros(t.rows), (t.hardness > 0) * 1.0
    return [
        t.samples(reward=nothing),
        t.samples(reward=nothing - 1.0),
        t.samples(reward=nothing + 1.0),
        t.samples(reward=either),
        t.samples(step=None, reward=3.0 * t.hardness),
        # each prompt is right or wrong from the first step on, and more of them are right later
        t.samples(reward=1.0 * (t.hardness < t.ramp(-0.8, 0.8))),
    ]


def healthy_samples():
    t = Training()
    return [
        # a hard set at first
        t.samples(reward=t.chance(0.05, hardness=1.0)),
        t.samples(reward=t.chance(t.ramp(0.0, 0.4), hardness=1.0)),
        # prompts that are easy and prompts that are hard
        t.samples(reward=t.chance(0.5, hardness=3.0)),
        # pairs agree by chance
        t.samples(group=np.arange(t.rows) // 2, reward=t.chance(0.95)),
        t.samples(reward=t.normal(0.0, 1.0)),
    ]


def sick():
    return [*sick_runs(), *sick_samples()]


def healthy():
    return [*healthy_runs(), *healthy_samples()]


@pytest.mark.parametrize(
    ("at", "word", "level", "link"),
    [
        (0, "all wrong", Level.WARN, Link.TASK),
        (1, "all right", Level.WARN, Link.TASK),
        (2, "always right or always wrong", Level.WARN, Link.REWARD),
        (3, "all right", Level.INFO, Link.TASK),
        (4, "always right or always wrong", Level.INFO, Link.REWARD),
        (5, "truncated at the length cap", Level.WARN, Link.TASK),
        (6, "no reward is logged", Level.WARN, Link.REWARD),
        (7, "every completion of the run got the same reward", Level.WARN, Link.REWARD),
        (8, "every completion of the run got the same reward", Level.WARN, Link.REWARD),
        (9, "nothing but the form of an answer is rewarded", Level.WARN, Link.REWARD),
        (10, "all right", Level.INFO, Link.TASK),
        (11, "all wrong", Level.WARN, Link.TASK),
        (12, "no answer was ever right", Level.WARN, Link.TASK),
        (13, "sampling temperature of 0.05", Level.WARN, Link.EXPLORATION),
    ],
)
def test_tells_the_causes_apart(at, word, level, link):
    answer = RULE.ask(sick_runs()[at])
    assert word in answer.message
    assert (answer.level, answer.link) == (level, link)
    assert answer.fix


@pytest.mark.parametrize(
    ("at", "word", "level", "link"),
    [
        (0, "lowest", Level.WARN, Link.TASK),
        (1, "lowest", Level.WARN, Link.TASK),
        (2, "highest", Level.WARN, Link.TASK),
        (3, "all right and", Level.WARN, Link.REWARD),
        (4, "differs only between prompts", Level.WARN, Link.REWARD),
        (5, "all right and", Level.WARN, Link.REWARD),
    ],
)
def test_tells_the_causes_apart_in_samples(at, word, level, link):
    answer = RULE.ask(sick_samples()[at])
    assert word in answer.message
    assert (answer.level, answer.link) == (level, link)


def test_one_reward_from_the_first_step_to_the_last_is_an_alarm_whatever_it_is():
    t = Training()
    for reward in (-1.0, 0.0, 0.5, 1.0, 3.0):
        answer = RULE.ask(t.samples(reward=np.full(t.rows, reward)))
        assert answer.level is Level.WARN
        assert f"same reward, {reward:g}" in answer.message


def test_pairs_tell_only_where_no_completion_ever_got_another_reward():
    t = Training()
    pairs = {"group": np.arange(t.rows) // 2}
    assert RULE.ask(t.samples(**pairs, reward=np.zeros(t.rows))).level is Level.WARN
    assert isinstance(RULE.ask(t.samples(**pairs, reward=t.chance(0.95))), CannotTell)


def test_solved_prompts_are_information_where_something_was_learned_or_is_left():
    t = Training()
    learned = t.samples(reward=t.chance(np.clip(t.ramp(0.2, 1.6), 0, 1)))
    without_steps = t.samples(step=None, reward=np.ones(t.rows))
    one_kind = replace(t.samples(reward=np.ones(t.rows)), kind="sums")
    for samples in (learned, without_steps, one_kind):
        answer = RULE.ask(samples)
        assert answer is None or answer.level is Level.INFO


def test_a_reward_that_stops_at_once_is_the_rewards_fault_and_one_that_was_never_sure_is_the_tasks():
    told = {}
    for name, (before, scatter) in {"stopped": (0.95, 0.01), "small": (0.1, 0.02), "hard": (0.03, 0.03)}.items():
        reward = np.r_[np.full(50, before) + noise(scatter, points=50), np.zeros(50)]
        share = np.r_[np.full(50, 0.4), np.ones(50)]
        found = RULE.ask(run_of({"reward.zero_spread_fraction": share, "reward.mean": np.maximum(reward, 0)}))
        told[name] = found.link
    assert told == {"stopped": Link.REWARD, "small": Link.REWARD, "hard": Link.TASK}


def test_a_reward_that_slides_to_its_end_did_not_stop():
    share = np.r_[np.full(50, 0.4), np.ones(50)]
    slid = np.r_[np.linspace(0.2, 0.004, 50) + noise(0.001, points=50), np.zeros(50)]
    found = RULE.ask(run_of({"reward.zero_spread_fraction": share, "reward.mean": slid}))
    assert found.link is Link.TASK


def test_a_spread_of_pairs_is_no_share_of_groups():
    t = Training()
    pairs = t.samples(group=np.arange(t.rows) // 2, reward=np.repeat(t.chance(0.5)[::2], 2))
    curves = make_curves(pairs)
    assert "reward.group_std" in curves
    assert isinstance(RULE.ask(curves), CannotTell)


def test_a_policy_that_grew_sure_of_its_answers_is_no_alarm():
    t = Training()
    sure = t.ramp(0.5, 40.0)
    t.hardness = t.hardness * sure
    answer = RULE.ask(t.samples(reward=t.chance(t.ramp(0.2, 0.8), hardness=1.0)))
    assert answer is None or answer.level is Level.INFO
