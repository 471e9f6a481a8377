from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from tests.sampled import Training
from weaklink.base.finding import Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM305")
MORE = ramp(0.05, 0.5, 0.02)


def sick_runs():
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


def healthy_runs():
    return [
        run_of({"task.refusal_rate": noisy(0.1, 0.03)}),
        run_of({"task.refusal_rate": ramp(0.05, 0.09, 0.01)}),
        run_of({"task.refusal_rate": ramp(0.5, 0.1, 0.02), "evaluation.score": rising(0.2, 0.6)}),
    ]


def sick_samples():
    t = Training()
    refused, unsafe = t.chance(t.ramp(0.02, 0.5)), t.chance(0.3)
    paid = t.chance(0.3)
    return [
        t.samples(refusal=refused, unsafe_prompt=np.zeros(t.rows)),
        # refusals beside answers to the same prompt
        t.samples(refusal=refused, reward=t.share(0.5)),
        t.samples(refusal=refused, gold=t.chance(0.6 - 0.5 * refused), reward=t.share(0.5 + 0.3 * refused)),
        t.samples(
            refusal=np.where(unsafe, 1.0, refused), unsafe_prompt=unsafe, human_score=t.share(0.7 - 0.5 * refused)
        ),
        t.samples(
            step=None,
            refusal=paid,
            unsafe_prompt=np.zeros(t.rows),
            gold=t.chance(0.7 - 0.6 * paid),
            reward=t.share(0.4 + 0.4 * paid),
        ),
    ]


def healthy_samples():
    t = Training()
    dangers = (t.rng.random(t.steps * t.prompts) < t.ramp(0.1, 0.6)[:: t.size])[t.group] * 1.0
    refused = np.where(dangers, t.chance(0.9), t.chance(0.02))
    human = t.share(np.where(dangers, 0.1 + 0.8 * refused, 0.7))
    return [
        # more and more unsafe prompts, rightly refused; known by their kind, or by how refusals turn out
        t.samples(refusal=refused, unsafe_prompt=dangers, human_score=human, reward=human),
        t.samples(refusal=refused, human_score=human, reward=human),
        # nothing says whether they are right, but nearly all completions of a prompt agree
        t.samples(refusal=refused, reward=human),
        t.samples(refusal=t.chance(0.3), unsafe_prompt=np.zeros(t.rows), gold=t.chance(0.5), reward=t.chance(0.5)),
    ]


def sick():
    return [*sick_runs(), *sick_samples()]


def healthy():
    return [*healthy_runs(), *healthy_samples()]


def test_refusing_more_of_what_is_unsafe_may_be_the_aim():
    assert [RULE.ask(run).level for run in sick_runs()] == [Level.WARN, Level.WARN, Level.INFO]
