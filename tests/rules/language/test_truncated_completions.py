from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from tests.sampled import Training, tokens
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM309")
CAP = {"algo": "grpo", "max_completion_length": 1024}


def sick_runs():
    return [
        # autocontext#1067: everything cut, nothing earned
        run_of(
            {
                "task.truncated_fraction": np.ones(100),
                "task.completion_length": np.full(100, 256.0),
                "reward.mean": np.zeros(100),
            }
        ),
        run_of({"task.truncated_fraction": ramp(0.1, 0.9, 0.02), "reward.mean": noisy(0.3, 0.02)}),
        # trl#7039: a second end token is not recognised
        run_of(
            {
                "task.truncated_fraction": noisy(0.97, 0.005),
                "task.completion_length": noisy(300, 20),
                "reward.mean": rising(0.2, 0.6),
            },
            CAP,
        ),
        run_of({"task.truncated_fraction": noisy(0.3, 0.02), "reward.mean": noisy(0.3, 0.02)}),
        run_of({"task.truncated_fraction": noisy(0.6, 0.02), "reward.mean": rising(0.3, 0.8)}),
    ]


def healthy_runs():
    return [
        run_of({"task.truncated_fraction": noisy(0.05, 0.02), "reward.mean": noisy(0.3, 0.02)}),
        run_of({"task.truncated_fraction": ramp(0.9, 0.05, 0.02), "reward.mean": rising(0.1, 0.6)}),
        run_of({"task.truncated_fraction": np.append(noisy(0.7, 0.05, points=40), noisy(0.1, 0.02, points=60))}),
    ]


def sick_samples():
    t = Training()
    cap = np.full(t.rows, 1024.0)
    return [
        t.samples(truncated=t.chance(0.8), reward=t.chance(0.1)),
        t.samples(truncated=t.chance(t.ramp(0.1, 0.9)), reward=t.chance(0.1)),
        tokens(t.samples(truncated=t.chance(0.97), length=t.lengths(300), max_tokens=cap)),
        t.samples(step=None, truncated=t.chance(0.35)),
        t.samples(truncated=t.chance(0.7), gold=t.chance(t.ramp(0.1, 0.6))),
        costly(),
    ]


def costly(paid: float = 0.0):
    """Four in ten are truncated, and get so much; the others mostly succeed."""
    t = Training()
    cut = t.chance(0.42)
    return t.samples(truncated=cut, reward=np.where(cut, paid, t.chance(0.7)))


def healthy_samples():
    t = Training()
    return [
        t.samples(truncated=t.chance(0.1), reward=t.chance(0.4)),
        t.samples(truncated=t.chance(t.ramp(0.9, 0.05)), reward=t.chance(0.4)),
        t.samples(step=None, truncated=np.zeros(t.rows)),
    ]


def sick():
    return [*sick_runs(), *sick_samples()]


def healthy():
    return [*healthy_runs(), *healthy_samples()]


def test_levels():
    wanted = [Level.WARN, Level.WARN, Level.WARN, Level.INFO, Level.INFO]
    assert [RULE.ask(run).level for run in sick_runs()] == wanted


def test_an_unrecognised_end_is_told_from_the_cap():
    answers = [RULE.ask(run) for run in sick_runs()]
    assert [answer.link for answer in answers[:3]] == [Link.TASK, Link.TASK, Link.DATA]
    assert "not recognised" in answers[2].message
    assert "1,024" in answers[2].message


def test_the_cap_is_known_by_the_longest_completion_too():
    curves = {"task.truncated_fraction": noisy(0.97, 0.005), "task.completion_length": noisy(300, 20)}
    assert RULE.ask(run_of({**curves, "task.completion_length_max": np.full(100, 1024.0)})).link is Link.DATA


def test_the_levels_in_samples():
    answers = [RULE.ask(samples) for samples in sick_samples()[:-1]]
    assert [answer.level for answer in answers] == [Level.WARN, Level.WARN, Level.WARN, Level.INFO, Level.INFO]
    assert [answer.link for answer in answers] == [Link.TASK, Link.TASK, Link.DATA, Link.TASK, Link.TASK]


def test_a_share_that_does_not_change_is_measured_over_all_rows():
    t = Training(steps=20, prompts=10, size=1, seed=2)
    cut = t.chance(0.62)
    late = t.step >= 160
    cut[late] = np.tile((1.0, 0.0, 1.0, 0.0), int(late.sum()) // 4)
    finding = RULE.ask(t.samples(truncated=cut))
    assert finding.level is Level.WARN
    assert f"{cut.mean():.0%} of the completions" in finding.message


def test_truncated_completions_that_are_paid_nothing_are_an_alarm_earlier():
    assert RULE.ask(costly()).level is Level.WARN
    assert RULE.ask(costly(paid=0.5)).level is Level.INFO


def test_where_no_completion_ever_ends_a_rising_reward_is_no_excuse_and_where_some_do_it_is():
    told = {}
    for name, cut in {"none": np.ones(100), "some": np.minimum(noisy(0.95, 0.03), 1.0)}.items():
        told[name] = RULE.ask(run_of({"task.truncated_fraction": cut, "reward.mean": rising(-0.1, 0.3)})).level
    assert told == {"none": Level.WARN, "some": Level.INFO}
