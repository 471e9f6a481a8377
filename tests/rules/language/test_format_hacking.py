from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from tests.sampled import Training
from weaklink.base.finding import HIGH, MEDIUM, CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM304")
FORM = rising(0.476, 0.857, 0.02)


def sick_runs():
    return [
        run_of({"reward.component.format_reward": FORM, "reward.component.accuracy_reward": ramp(0.160, 0.064, 0.01)}),
        run_of(
            {
                "reward.component.xmlcount_reward_func": FORM,
                "reward.component.correctness_reward_func": noisy(0.2, 0.02),
            }
        ),
        run_of({"reward.component.tag_count": FORM, "evaluation.score": noisy(0.3, 0.02)}),
    ]


def healthy_runs():
    late = np.concatenate((noisy(0.1, 0.01, points=40), rising(0.1, 0.6, points=60)))
    return [
        run_of({"reward.component.format": FORM, "reward.component.accuracy": rising(0.1, 0.6)}),
        # form is learned first, being right follows
        run_of({"reward.component.format": rising(0, 1), "reward.component.accuracy": late}),
        # form has only just begun to rise
        run_of(
            {
                "reward.component.format": np.append(noisy(0.1, 0.01, points=70), ramp(0.1, 0.9, 0.01, points=30)),
                "reward.component.accuracy": noisy(0.3, 0.02),
            }
        ),
        # nowhere left to rise
        run_of({"reward.component.format": FORM, "reward.component.accuracy": noisy(0.96, 0.01)}),
        run_of({"reward.component.format": noisy(0.9, 0.02), "reward.component.accuracy": ramp(0.5, 0.2, 0.02)}),
        run_of({"reward.component.format": np.zeros(100), "reward.component.accuracy": noisy(0.2, 0.02)}),
        # advantage and stage are no tags
        run_of({"reward.component.stage": FORM, "reward.component.accuracy": noisy(0.2, 0.02)}),
    ]


def sick_samples():
    t = Training()
    form = t.chance(np.clip(t.ramp(0.1, 2.2), 0, 0.97))
    less, flat = t.chance(t.ramp(0.25, 0.08)), t.chance(0.2)
    skeleton = np.where(form, 0, t.rng.integers(1, 9, t.rows))
    dressed = t.chance(0.5)
    worse = t.chance(np.where(dressed, 0.15, 0.6))
    return [
        t.samples(reward=less + form, reward__format=form, reward__accuracy=less),
        t.samples(reward=flat + 0.5 * form, reward__xml_tags=0.5 * form, gold=flat),
        t.samples(reward=t.share(0.3 + 0.5 * form), template=skeleton, gold=flat),
        t.samples(step=None, reward=dressed + 0.3 * worse, reward__format=dressed, gold=worse),
        fall_late(0.5, 0.25),
    ]


def fall_late(before: float, after: float):
    """A short training in which the format is learned in the last third, and correctness moves meanwhile."""
    t = Training(steps=16, prompts=6, size=4, seed=3)
    late = t.progress > 0.7
    form, right = t.chance(np.where(late, 0.99, 0.55)), t.chance(np.where(late, after, before), hardness=0.5)
    return t.samples(reward=form + 0.2 * right, reward__format=form, reward__accuracy=right)


def healthy_samples():
    t = Training()
    form = t.chance(np.clip(t.ramp(0.1, 2.5), 0, 0.97))
    late = t.chance(0.1 + 0.9 * np.maximum(t.progress - 0.35, 0), hardness=1.0)
    skeleton = np.where(form, 0, t.rng.integers(1, 9, t.rows))
    top = t.chance(0.97)
    return [
        # form is learned first, being right follows
        t.samples(reward=late + 0.5 * form, reward__format=0.5 * form, gold=late, template=skeleton),
        t.samples(reward=top + form, reward__format=form, gold=top),
        t.samples(reward=t.chance(0.9), reward__format=t.chance(0.9), gold=t.chance(0.3)),
        t.samples(step=None, reward=late, reward__format=t.chance(0.9), gold=late),
        t.samples(reward=late, gold=late, template=np.zeros(t.rows)),
        # a format that is learned late, and correctness has not followed yet
        fall_late(0.5, 0.5),
        fall_late(0.5, 0.45),
    ]


def sick():
    return [*sick_runs(), *sick_samples()]


def healthy():
    return [*healthy_runs(), *healthy_samples()]


def test_a_fall_is_surer_than_a_standstill():
    assert [RULE.ask(run).confidence for run in sick_runs()] == [HIGH, MEDIUM, MEDIUM]


def test_says_what_is_missing():
    assert isinstance(RULE.ask(run_of({"reward.component.format": FORM})), CannotTell)
    assert isinstance(RULE.ask(run_of({"reward.component.accuracy": FORM})), CannotTell)
