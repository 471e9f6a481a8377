from __future__ import annotations

from tests.curves import noisy, ramp, rising, run_of
from weaklink.finding import Level
from weaklink.rules._registry import find_rule


def sick():
    return [
        run_of({"action.tool_failures": noisy(0.5, 0.05), "task.success_rate": noisy(0.2, 0.02)}),
        run_of({"action.tool_failures": ramp(0.05, 0.6, 0.02)}),
        run_of({"action.tool_failures": noisy(0.4, 0.03), "task.success_rate": rising(0.2, 0.8)}),
    ]


def healthy():
    return [
        run_of({"action.tool_failures": noisy(0.1, 0.03)}),
        run_of({"action.tool_failures": ramp(0.9, 0.1, 0.02)}),
        # still above the limit but on its way down
        run_of({"action.tool_failures": ramp(0.9, 0.4, 0.02)}),
    ]


def test_a_run_that_learns_all_the_same_is_no_alarm():
    rule = find_rule("AGT303")
    assert [rule.ask(run).level for run in sick()] == [Level.WARN, Level.WARN, Level.INFO]
