from __future__ import annotations

from tests.curves import noisy, ramp, rising, run_of
from weaklink.finding import Level
from weaklink.rules._registry import find_rule

RULE = find_rule("LLM305")
MORE = ramp(0.05, 0.5, 0.02)


def sick():
    return [
        run_of({"task.refusal_rate": MORE}),
        run_of(
            {
                "task.refusal_rate": MORE,
                "evaluation.score": ramp(0.7, 0.4, 0.02),
                "task.unsafe_rate": ramp(0.3, 0.05, 0.01),
            }
        ),
        run_of({"task.refusal_rate": MORE, "task.unsafe_rate": ramp(0.3, 0.05, 0.01)}),
    ]


def healthy():
    return [
        run_of({"task.refusal_rate": noisy(0.1, 0.03)}),
        run_of({"task.refusal_rate": ramp(0.05, 0.09, 0.01)}),
        run_of({"task.refusal_rate": ramp(0.5, 0.1, 0.02), "evaluation.score": rising(0.2, 0.6)}),
    ]


def test_refusing_more_of_what_is_unsafe_may_be_the_aim():
    assert [RULE.ask(run).level for run in sick()] == [Level.WARN, Level.WARN, Level.INFO]
