from __future__ import annotations

import numpy as np
import pytest

from tests.curves import noise, noisy, ramp, rising, run_of
from tests.sampled import Training
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.finding import Finding
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM311")
PROXY = ramp(0.1, 0.9, 0.02)


def peaked(seed=0, points=100):
    place = np.linspace(0, 1, points)
    return (
        0.3
        + 0.4 * np.sin(np.minimum(place / 0.4, 1) * np.pi / 2)
        - 0.4 * np.maximum(place - 0.4, 0)
        + noise(0.015, seed, points)
    )


def sick_runs():
    return [
        run_of({"reward.mean": PROXY, "reward.human_score": peaked()}),
        run_of({"reward.mean": PROXY, "evaluation.score": peaked(points=20)}, {"algo": "grpo"}),
    ]


def healthy_runs():
    return [
        run_of({"reward.mean": PROXY, "reward.human_score": rising(0.3, 0.7)}),
        # both fall: no proxy that runs ahead
        run_of({"reward.mean": peaked(3), "reward.human_score": peaked()}),
        run_of({"reward.mean": PROXY, "reward.human_score": noisy(0.5, 0.03)}),
        # classic control has other rules for its evaluation
        run_of({"reward.episode_return": PROXY, "evaluation.success_rate": peaked()}, {"algo": "sac"}),
        run_of({"reward.mean": PROXY, "evaluation.score": peaked(points=6)}, {"algo": "grpo"}),
    ]


def sick_samples():
    t = Training()
    hump, few = 0.4 + 0.3 * np.sin(np.pi * t.progress * 1.2), Training(steps=25, prompts=5, size=1)
    return [
        t.samples(human_score=t.share(hump), reward=t.share(t.ramp(0.3, 0.9))),
        t.samples(gold=t.chance(hump), reward=t.normal(t.ramp(-2, 5), 1.0)),
        t.samples(step=None, policy_version=t.step, gold=t.chance(hump), reward=t.share(t.ramp(0.3, 0.9))),
        # falls from the start on, and few rows are of each step
        few.samples(group=None, gold=few.share(few.ramp(0.8, 0.4)), reward=few.share(few.ramp(0.1, 0.9))),
        # the scale of the reward moves, the outcome stays
        t.samples(gold=t.chance(t.ramp(0.55, 0.45)), reward=t.normal(t.ramp(0.3, 2.5), 0.15)),
    ]


def healthy_samples():
    t = Training()
    hump, hard = t.share(0.4 + 0.3 * np.sin(np.pi * t.progress * 1.2)), t.ramp(0.0, 1.0)
    return [
        t.samples(human_score=t.share(t.ramp(0.3, 0.8)), reward=t.share(t.ramp(0.3, 0.9))),
        # levels out and wobbles
        t.samples(gold=t.chance(np.clip(t.ramp(0.2, 1.2), 0, 0.6)), reward=t.share(t.ramp(0.3, 0.9))),
        # the reward falls with it: no overoptimisation
        t.samples(human_score=hump, reward=t.share(hump)),
        # harder and harder prompts
        t.samples(human_score=t.share(0.8 - 0.5 * hard), difficulty=hard, reward=t.share(t.ramp(0.3, 0.9))),
        t.samples(human_score=t.share(0.5), reward=t.share(t.ramp(0.3, 0.9))),
        # the outcome follows; has nothing to gain; was never reached; the rise is of a size that learning has
        t.samples(gold=t.chance(t.ramp(0.4, 0.7)), reward=t.normal(t.ramp(0.3, 2.5), 0.15)),
        t.samples(gold=np.ones(t.rows), reward=t.normal(t.ramp(0.3, 2.5), 0.15)),
        t.samples(gold=np.zeros(t.rows), reward=t.normal(t.ramp(0.3, 2.5), 0.15)),
        t.samples(gold=t.chance(0.5), reward=t.normal(t.ramp(0.0, 4.0), 1.0)),
        t.samples(step=np.zeros(t.rows), human_score=t.share(0.5), reward=t.share(0.5)),
    ]


def sick():
    return [*sick_runs(), *sick_samples()]


def healthy():
    return [*healthy_runs(), *healthy_samples()]


def test_names_the_peak():
    answer = RULE.ask(sick_runs()[0])
    assert abs(answer.onset - 0.4 * 204_800) < 0.1 * 204_800
    assert f"step {answer.onset:,.0f}" in answer.message


def test_axes_may_differ():
    score = Series.of("evaluation.score", np.arange(1, 21), peaked(points=20))
    reward = Series.of("reward.mean", 1000 * np.arange(1, 101), PROXY)
    run = Run("made", {"evaluation.score": score, "reward.mean": reward, "policy.kl_reference": reward})
    assert isinstance(RULE.ask(run), Finding)


@pytest.mark.parametrize("points", [12, 40, 200])
def test_noise_has_no_peak(points):
    for seed in range(40):
        for score in (noisy(0.5, 0.05, seed, points), rising(0.2, 0.6, 0.04, seed, points)):
            assert (
                RULE.ask(run_of({"reward.mean": ramp(0, 1, 0.02, seed + 1, points), "reward.human_score": score}))
                is None
            )


def test_names_the_step_of_the_peak_in_samples():
    answer = RULE.ask(sick_samples()[0])
    assert abs(answer.onset - 390 / 2.4) < 60
    assert f"step {answer.onset:,.0f}" in answer.message
