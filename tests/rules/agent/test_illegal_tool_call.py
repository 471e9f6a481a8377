from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from tests.sampled import Training
from weaklink.base.evidence.samples import Samples
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule


def sick():
    return [
        run_of({"action.tool_failures": noisy(0.5, 0.05), "task.success_rate": noisy(0.2, 0.02)}),
        run_of({"action.tool_failures": ramp(0.05, 0.6, 0.02)}),
        run_of({"action.tool_failures": noisy(0.4, 0.03), "task.success_rate": rising(0.2, 0.8)}),
        agent(illegal=(0.02, 0.5)),
        agent(illegal=(0.3, 0.3)),
        agent(illegal=(0.4, 0.4), step=None),
        agent(failing=(0.1, 0.7), success=(0.5, 0.4)),
        agent(failing=(0.6, 0.6), made_good=0.1, success=(0.5, 0.5)),
        counted_all_the_same(),
    ]


def agent(illegal=None, failing=None, made_good=0.6, success=(0.3, 0.6), price=0.0, **columns) -> Samples:
    training = Training()
    calls = 2 + training.rng.poisson(2, training.rows)
    right = training.chance(training.ramp(*success))
    if illegal:
        outside = training.chance(training.ramp(*illegal))
        columns |= {"illegal_calls": outside, "reward": right - price * outside}
    if failing:
        failed = training.rng.binomial(calls, training.ramp(*failing))
        columns |= {"failed_calls": failed, "recovered_calls": training.rng.binomial(failed, made_good)}
    return training.samples(tool_calls=calls, success=right, **({"prompt": training.group % 12} | columns))


def counted_all_the_same() -> Samples:
    training = Training()
    failed = training.chance(0.3)
    gold = training.chance(0.5) * (1 - failed)
    calls = np.full(training.rows, 3.0)
    success = np.maximum(gold, failed)
    return training.samples(
        tool_calls=calls, failed_calls=failed, recovered_calls=0 * failed, gold=gold, success=success
    )


def healthy():
    return [
        run_of({"action.tool_failures": noisy(0.1, 0.03)}),
        run_of({"action.tool_failures": ramp(0.9, 0.1, 0.02)}),
        # still above the limit but on its way down
        run_of({"action.tool_failures": ramp(0.9, 0.4, 0.02)}),
        # tried early, unlearnt later
        agent(illegal=(0.5, 0.1)),
        agent(illegal=(0.03, 0.03)),
        # one checkpoint, and it costs
        agent(illegal=(0.3, 0.3), step=None, price=0.5),
        # time-outs that are always made good
        agent(failing=(0.5, 0.5), made_good=1.0),
        agent(failing=(0.7, 0.2), made_good=0.3),
        # the list lacks a tool
        agent(illegal=(1.0, 1.0)),
        fairly_graded(),
        agent(illegal=(0.02, 0.5)).where(np.arange(30)),
    ]


def fairly_graded() -> Samples:
    """Failed calls that nothing made good, answered from memory: right ones are paid, wrong ones are not."""
    training = Training()
    failed, gold = training.chance(0.3), training.chance(0.5)
    calls = np.full(training.rows, 4.0)
    return training.samples(tool_calls=calls, failed_calls=failed, recovered_calls=0 * failed, gold=gold, success=gold)


def test_a_run_that_learns_all_the_same_is_no_alarm():
    rule = find_rule("AGT303")
    assert [rule.ask(run).level for run in sick()[:3]] == [Level.WARN, Level.WARN, Level.INFO]


def test_a_list_that_lacks_a_tool_cannot_tell():
    answer = find_rule("AGT303").ask(agent(illegal=(1.0, 1.0)))
    assert isinstance(answer, CannotTell)
    assert answer.missing == ("allowed_tools",)


def test_failures_that_are_paid_are_named_as_such():
    (finding,) = find_rule("AGT303").ask(counted_all_the_same())
    assert "were rewarded as successes" in finding.message
    assert finding.level == Level.WARN


def test_errors_that_cost_nothing_are_told():
    t = Training()
    failed = t.chance(0.8)
    columns = {"tool_calls": np.ones(t.rows), "failed_calls": failed, "recovered_calls": 0 * failed}
    ignored = t.samples(**columns, ended_failed=failed, reward=np.ones(t.rows))
    punished = t.samples(**columns, ended_failed=failed, reward=1.0 - failed)
    told = [str(find_rule("AGT303").ask(samples)) for samples in (ignored, punished)]
    assert ["ignores it" in message for message in told] == [True, False]
