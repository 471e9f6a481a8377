from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.finding import HIGH, MEDIUM, CannotTell
from weaklink.rules._registry import find_rule

RULE = find_rule("LLM304")
FORM = rising(0.476, 0.857, 0.02)


def sick():
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


def healthy():
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


def test_a_fall_is_surer_than_a_standstill():
    assert [RULE.ask(run).confidence for run in sick()] == [HIGH, MEDIUM, MEDIUM]


def test_says_what_is_missing():
    assert isinstance(RULE.ask(run_of({"reward.component.format": FORM})), CannotTell)
    assert isinstance(RULE.ask(run_of({"reward.component.accuracy": FORM})), CannotTell)
