from __future__ import annotations

from tests.curves import noisy, ramp, rising, run_of
from weaklink.finding import Level
from weaklink.rules._registry import find_rule

RULE = find_rule("LLM303")


def sick():
    return [
        run_of({"task.repetition": ramp(0.05, 0.5, 0.02), "reward.mean": rising(0.2, 0.9)}),
        run_of({"task.repetition": noisy(0.6, 0.03), "reward.mean": noisy(0.2, 0.02)}),
        run_of({"task.repetition": noisy(0.3, 0.02), "reward.mean": rising(0.2, 0.9)}),
    ]


def healthy():
    burst = noisy(0.05, 0.01)
    burst[30:60] = 0.4
    return [
        run_of({"task.repetition": noisy(0.08, 0.03)}),
        run_of({"task.repetition": ramp(0.4, 0.05, 0.02)}),
        run_of({"task.repetition": burst}),
    ]


def test_what_was_there_from_the_start_of_a_run_that_learns_is_no_alarm():
    assert [RULE.ask(run).level for run in sick()] == [Level.WARN, Level.WARN, Level.INFO]


def test_what_comes_with_success_is_no_alarm():
    run = run_of({"task.repetition": ramp(0.05, 0.3, 0.02), "evaluation.score": rising(0.2, 0.9)})
    assert RULE.ask(run).level is Level.INFO
