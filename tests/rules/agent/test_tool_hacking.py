from __future__ import annotations

from tests.curves import noisy, ramp, rising, run_of
from weaklink.finding import CannotTell, Level
from weaklink.rules._registry import find_rule

RULE = find_rule("AGT301")
MORE = ramp(2, 9, 0.3)


def sick():
    return [
        run_of({"action.tool_calls": MORE, "reward.mean": rising(0.2, 0.9), "task.success_rate": noisy(0.3, 0.03)}),
        run_of({"action.tool_calls": MORE, "evaluation.return": ramp(0.5, 0.3, 0.02)}),
        run_of({"action.tool_calls": MORE, "task.success_rate": noisy(0.97, 0.005)}),
    ]


def healthy():
    return [
        # learning to use a tool
        run_of({"action.tool_calls": ramp(0, 2, 0.1), "task.success_rate": rising(0.1, 0.6)}),
        run_of({"action.tool_calls": MORE, "evaluation.score": rising(0.1, 0.6)}),
        run_of({"action.tool_calls": noisy(3, 0.5), "task.success_rate": noisy(0.3, 0.03)}),
        run_of({"action.tool_calls": ramp(3, 3.6, 0.1), "task.success_rate": noisy(0.3, 0.03)}),
        run_of({"action.tool_calls": MORE, "reward.mean": rising(0.2, 0.9)}),
    ]


def test_success_at_its_ceiling_is_no_alarm():
    assert [RULE.ask(run).level for run in sick()] == [Level.WARN, Level.WARN, Level.INFO]


def test_without_success_it_cannot_tell():
    assert isinstance(RULE.ask(healthy()[-1]), CannotTell)
