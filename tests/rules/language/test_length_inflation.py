from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.finding import HIGH, LOW, CannotTell
from weaklink.rules._registry import find_rule

RULE = find_rule("LLM302")
LONGER = ramp(200, 900, 20)


def sick():
    return [
        run_of(
            {"task.completion_length": LONGER, "reward.mean": rising(0.2, 0.9), "evaluation.score": noisy(0.3, 0.02)}
        ),
        run_of(
            {
                "task.completion_length": LONGER,
                "reward.mean": rising(0.2, 0.9),
                "reward.human_score": ramp(0.6, 0.3, 0.02),
            }
        ),
        run_of({"task.completion_length": LONGER, "reward.component.accuracy": noisy(0.3, 0.02)}),
        run_of({"task.completion_length": LONGER, "reward.mean": noisy(0.3, 0.02)}),
    ]


def healthy():
    spike = noisy(200, 10)
    spike[40:50] = 900
    return [
        # training for reasoning: longer because longer is right more often
        run_of({"task.completion_length": LONGER, "reward.component.accuracy_reward": rising(0.2, 0.7)}),
        run_of(
            {"task.completion_length": LONGER, "reward.mean": rising(0.2, 0.7), "evaluation.score": rising(0.2, 0.5)}
        ),
        # only a rising reward is logged: no telling
        run_of({"task.completion_length": LONGER, "reward.mean": rising(0.2, 0.7)}),
        run_of({"task.completion_length": noisy(200, 30), "reward.mean": noisy(0.3, 0.02)}),
        run_of({"task.completion_length": ramp(200, 330, 10), "evaluation.score": noisy(0.3, 0.02)}),
        run_of({"task.completion_length": spike, "evaluation.score": noisy(0.3, 0.02)}),
        run_of({"task.completion_length": np.append(LONGER, noisy(250, 20)), "evaluation.score": noisy(0.3, 0.02)}),
    ]


def test_the_second_signal_sets_the_confidence():
    assert [RULE.ask(run).confidence for run in sick()][0::3] == [HIGH, LOW]


def test_a_rising_reward_alone_does_not_tell():
    assert isinstance(RULE.ask(healthy()[2]), CannotTell)


def test_the_onset_is_where_lengths_doubled():
    assert abs(RULE.ask(sick()[0]).onset - 0.35 * 204_800) < 0.08 * 204_800
