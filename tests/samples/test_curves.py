"""Samples by step as curves, alone and beside a log."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.evidence.metrics import METRICS
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Series
from weaklink.collect.samples.curves import MOST_BINS, make_curves

STEPS = [1, 1, 2, 2, 3, 3, 3, 3]


def test_each_step_is_a_point():
    samples = Samples.of(
        step=STEPS,
        reward=[0, 1, 1, 1, 0, 0, 1, 1],
        gold=[0, 0, 1, 1, 0, 0, 0, 1],
        length=[10, 20, 5, 5, 1, 2, 3, 4],
        refusal=[0, 0, 0, 1, 1, 1, 1, 1],
        group=[1, 1, 2, 2, 3, 3, 4, 4],
        answer=[7, 8, 7, 7, 1, 1, 2, 3],
        reward__format=[0.5] * 8,
        tool_calls=[2, 2, 0, 0, 4, 4, 4, 4],
        failed_calls=[1, 0, np.nan, np.nan, 1, 1, 0, 0],
    )
    run = make_curves(samples)
    expected = {
        "reward.mean": [0.5, 1, 0.5],
        "reward.human_score": [0, 1, 0.25],
        "task.completion_length": [15, 5, 2.5],
        "task.completion_length_max": [20, 5, 4],
        "task.refusal_rate": [0, 0.5, 1],
        "reward.group_std": [np.sqrt(0.5), 0, 0],
        "task.distinct_fraction": [1, 0.5, 0.75],
        "reward.component.format": [0.5, 0.5, 0.5],
        "action.tool_calls": [2, 0, 4],
    }
    for name, values in expected.items():
        assert run[name].values.tolist() == pytest.approx(values), name
        assert run[name].steps.tolist() == [1, 2, 3]
        assert name in METRICS or name.startswith("reward.component.")
    assert run["action.tool_failures"].steps.tolist() == [1, 3], "a step without a call has no share of failures"
    assert run["action.tool_failures"].values.tolist() == pytest.approx([0.25, 0.125])
    assert run.family == "language"


def test_groups_of_three_and_more_tell_whether_rewards_differ():
    samples = Samples.of(
        step=[1] * 5 + [2] * 6, group=[1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4], reward=[1] * 5 + [0, 1] + [1] * 4
    )
    flat = make_curves(samples)["reward.zero_spread_fraction"]
    assert flat.values.tolist() == [1.0, 0.5], "a pair agrees by chance and does not count"


def test_unsafe_completions_count_on_unsafe_prompts():
    samples = Samples.of(step=[1, 1, 2, 2], unsafe=[1, 0, 1, 1], unsafe_prompt=[0, 1, 1, np.nan])
    assert make_curves(samples)["task.unsafe_rate"].values.tolist() == [0, 1]


def test_versions_of_the_policy_where_no_step_is_known():
    run = make_curves(Samples.of(policy_version=[5, 6], reward=[0, 1]))
    assert run["reward.mean"].steps.tolist() == [5, 6]


@pytest.mark.parametrize("samples", [Samples.of(reward=[0, 1]), Samples.of(step=[4, 4, np.nan], reward=[0, 1, 1])])
def test_without_two_steps_there_are_no_curves(samples):
    assert not make_curves(samples).series


def test_many_steps_are_taken_together():
    count = 10_000
    run = make_curves(Samples.of(step=np.arange(count), reward=np.arange(count) % 2))
    assert len(run["reward.mean"]) == MOST_BINS
    assert run["reward.mean"].values == pytest.approx(0.5, abs=0.05)
    assert run["reward.mean"].last_step == count - 1


def test_the_log_comes_first_and_the_samples_fill_in():
    log = Run(name="log", series={"reward.mean": Series.of("reward.mean", [1, 2], [5, 6])}, framework="trl")
    run = make_curves(Samples.of(step=STEPS, reward=[0.0] * 8, repetition=[0.1] * 8), log)
    assert run["reward.mean"].values.tolist() == [5, 6]
    assert run["task.repetition"].values == pytest.approx(0.1)
    assert (run.name, run.framework) == ("log", "trl")
    assert "task.repetition" in run.notes[-1]
    assert run.progress("task.repetition", 3) == 1.0
