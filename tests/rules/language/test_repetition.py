from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from tests.sampled import Training
from weaklink.base.finding import Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM303")


def sick_runs():
    return [
        run_of({"task.repetition": ramp(0.05, 0.5, 0.02), "reward.mean": rising(0.2, 0.9)}),
        run_of({"task.repetition": noisy(0.6, 0.03), "reward.mean": noisy(0.2, 0.02)}),
        run_of({"task.repetition": noisy(0.3, 0.02), "reward.mean": rising(0.2, 0.9)}),
    ]


def healthy_runs():
    burst = noisy(0.05, 0.01)
    burst[30:60] = 0.4
    return [
        run_of({"task.repetition": noisy(0.08, 0.03)}),
        run_of({"task.repetition": ramp(0.4, 0.05, 0.02)}),
        run_of({"task.repetition": burst}),
    ]


def sick_samples():
    t = Training()
    loop, always = t.chance(t.ramp(0, 0.6)), t.chance(0.4)
    repeats = np.where(loop, t.share(0.6), t.share(0.03, 0.02))
    return [
        t.samples(repetition=repeats, length=t.lengths(150), gold=t.chance(0.4), reward=t.share(0.4 + 0.4 * loop)),
        t.samples(repetition=repeats, reward=t.share(0.4 + 0.4 * loop)),
        # no course: repetitive ones are worse than others to the same prompt, and are paid no less
        t.samples(
            step=None,
            repetition=np.where(always, t.share(0.5), 0.02),
            gold=t.chance(np.where(always, 0.1, 0.5)),
            reward=t.share(0.4 + 0.3 * always),
        ),
        # nothing says what is right, but loops are paid far more than other completions of their prompt
        t.samples(repetition=np.where(always, t.share(0.7), 0.02), reward=t.share(0.3 + 0.4 * always)),
        t.samples(repetition=t.share(0.7), gold=t.chance(0.2), reward=t.chance(0.5)),
    ]


def healthy_samples():
    t = Training()
    right = t.chance(0.45, hardness=1.0)
    table = (t.hardness > 0.5) * 1.0
    return [
        # tables and code, throughout
        t.samples(repetition=t.share(0.04 + 0.35 * table, 0.05), gold=right, reward=right),
        t.samples(repetition=t.share(0.4), gold=right, reward=right),
        t.samples(repetition=t.share(0.04 + 0.35 * table, 0.05), reward=right),
        # short texts
        t.samples(repetition=t.chance(t.ramp(0.1, 0.6)), length=t.lengths(5), gold=right, reward=right),
        t.samples(repetition=t.share(t.ramp(0.05, 0.4)), gold=t.chance(t.ramp(0.2, 0.7)), reward=right),
        t.samples(repetition=t.share(0.19, 0.0), reward=t.share(t.ramp(0.3, 0.9))),
        t.samples(repetition=t.share(t.ramp(0.6, 0.05)), reward=right),
    ]


def sick():
    return [*sick_runs(), *sick_samples()]


def healthy():
    return [*healthy_runs(), *healthy_samples()]


def test_what_was_there_from_the_start_of_a_run_that_learns_is_no_alarm():
    assert [RULE.ask(run).level for run in sick_runs()] == [Level.WARN, Level.WARN, Level.INFO]


def test_what_comes_with_success_is_no_alarm():
    run = run_of({"task.repetition": ramp(0.05, 0.3, 0.02), "evaluation.score": rising(0.2, 0.9)})
    assert RULE.ask(run).level is Level.INFO


def test_a_fifth_is_the_limit_in_samples():
    t = Training()
    reward = t.share(t.ramp(0.3, 0.9))
    below = t.samples(repetition=np.where(t.progress > 0.5, 0.2, 0.02), reward=reward)
    above = t.samples(repetition=np.where(t.progress > 0.5, 0.2001, 0.02), reward=reward)
    assert RULE.ask(below) is None
    assert 200 <= RULE.ask(above).onset <= 230
