from __future__ import annotations

from tests.curves import noisy, ramp, rising, run_of
from weaklink.finding import CannotTell, Level
from weaklink.rules._registry import find_rule

RULE = find_rule("LLM307")
FEWER = rising(0.8, 0.12, 0.02)


def sick():
    return [
        run_of(
            {"task.distinct_fraction": FEWER, "reward.mean": noisy(0.3, 0.02), "exploration.entropy": noisy(1.2, 0.1)}
        ),
        run_of(
            {"task.distinct_fraction": FEWER, "reward.mean": rising(0.3, 0.9), "evaluation.score": noisy(0.3, 0.02)}
        ),
        run_of({"task.distinct_fraction": noisy(0.12, 0.01), "reward.mean": noisy(0.3, 0.02)}),
    ]


def healthy():
    return [
        # solved: one right answer
        run_of({"task.distinct_fraction": FEWER, "reward.mean": rising(0.3, 0.98)}),
        run_of({"task.distinct_fraction": FEWER, "evaluation.score": rising(0.3, 0.9)}),
        run_of({"task.distinct_fraction": noisy(0.6, 0.05), "reward.mean": noisy(0.3, 0.02)}),
        run_of({"task.distinct_fraction": ramp(0.8, 0.4, 0.02), "reward.mean": noisy(0.3, 0.02)}),
        run_of({"task.distinct_fraction": FEWER}),
    ]


def test_low_from_the_start_is_worth_knowing_only():
    assert [RULE.ask(run).level for run in sick()] == [Level.WARN, Level.WARN, Level.INFO]


def test_without_success_it_cannot_tell():
    assert isinstance(RULE.ask(healthy()[-1]), CannotTell)
