"""What rules on samples share: draws counted instead of rows, fair comparisons, and effects at a fixed outcome."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sampled import Training, against
from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import MOST, average_by_draw, hash_draws, select_complete
from weaklink.judge.rules._samples import SURE, convert_to_z, ends, measure_course, split
from weaklink.judge.rules._within import measure_effect


def test_rows_of_one_prompt_count_once():
    t = Training(steps=2, prompts=20, size=10)
    same = t.samples(reward=t.hardness)
    assert average_by_draw(same, "reward").error > 3 * float(t.hardness.std() / t.rows**0.5) * 0.8
    chances = [
        abs(split(each.samples(reward=each.hardness), "reward").shift("reward").z)
        for each in (Training(steps=2, prompts=20, size=10, seed=seed) for seed in range(200))
    ]
    assert np.mean(np.array(chances) > 2) < 0.1
    assert max(chances) < SURE


def test_group_numbers_that_begin_anew_at_each_step_are_other_draws():
    t = Training()
    again = t.samples(group=t.group % t.prompts, reward=t.hardness)
    assert len(np.unique(hash_draws(again))) == t.steps * t.prompts


def test_rows_without_group_stand_alone():
    assert len(np.unique(hash_draws(Samples.of(group=[-1, -1, 0, 0], reward=[1, 2, 3, 4])))) == 3


def test_very_many_rows_are_thinned_by_whole_draws():
    t = Training(steps=100, prompts=500, size=8)
    kept = select_complete(t.samples(reward=t.hardness), "reward")
    assert 0.9 * MOST < len(kept) < 1.1 * MOST
    assert set(np.unique(kept.codes["group"], return_counts=True)[1]) == {8}


def test_the_first_tenth_is_held_against_the_last_fifth():
    t = Training(steps=101)
    first, last = ends(t.samples(reward=t.hardness))
    assert (t.step[first].max(), t.step[last].min()) == (100.0, 800.0)


def test_a_single_step_has_no_course():
    t = Training()
    assert ends(t.samples(step=np.zeros(t.rows), reward=t.hardness)) is None
    assert measure_course(t.samples(step=None, reward=t.hardness), "reward") is None


def test_harder_prompts_are_compared_with_prompts_as_hard():
    t = Training(prompts=20)
    difficulty = t.rng.normal(2 * t.progress[:: t.size])[t.group]
    shift = split(t.samples(difficulty=difficulty, length=100 * difficulty + t.normal(0, 5)), "length").shift("length")
    assert abs(shift.change) < 40
    bare = split(t.samples(length=100 * difficulty + t.normal(0, 5)), "length").shift("length")
    assert bare.change > 120


def test_difficulties_that_never_meet_cannot_be_compared():
    t = Training()
    parts = split(t.samples(difficulty=t.progress, length=t.lengths(100)), "length")
    assert parts.shift("length") is None


@pytest.mark.parametrize("prompts", [5, 24])
def test_the_same_prompts_are_compared_with_themselves(prompts):
    t = Training()
    prompt = t.group % prompts
    level = np.random.default_rng(1).normal(0, 10, prompts)[prompt]
    shift = split(t.samples(prompt=prompt, reward=level + t.normal(t.ramp(0, 1), 0.5)), "reward").shift("reward")
    assert shift.rose
    assert abs(shift.change - 0.85) < 0.2


def test_a_baseline_comes_before_the_start_of_training():
    t = Training()
    parts = split(against(t.samples(length=t.lengths(100)), Training(seed=1).samples(length=t.lengths(50))), "length")
    assert parts.baseline
    assert 45 < parts.shift("length").before < 60


def test_few_draws_need_a_larger_ratio():
    assert convert_to_z(4.0, 6) < 3.0
    assert abs(convert_to_z(4.0, 100_000) - 4.0) < 0.01
    assert convert_to_z(-4.0, 6) == -convert_to_z(4.0, 6)


def test_an_effect_is_seen_at_a_fixed_outcome_only():
    t = Training()
    right = t.chance(0.5)
    feature = right + t.normal(0, 0.5)
    through_outcome = measure_effect(t.samples(gold=right, reward=right + t.normal(0, 0.1)), "reward", feature, "gold")
    assert abs(through_outcome.strength) < 0.1
    bought = t.normal(0, 0.5)
    for_itself = measure_effect(t.samples(gold=right, reward=right + bought), "reward", bought, "gold")
    assert for_itself.strength > 0.99
    assert for_itself.bought(0.3, SURE)


def test_an_effect_between_prompts_is_none():
    t = Training()
    reward = t.hardness + t.normal(0, 0.1)
    seen = measure_effect(t.samples(gold=t.chance(0.5), reward=reward), "reward", t.hardness + t.normal(0, 0.1), "gold")
    assert abs(seen.strength) < 0.1


def test_quality_that_both_see_with_noise_is_not_bought():
    t = Training()
    quality = t.normal(0, 1)
    length = quality + t.normal(0, 0.5)
    seen = measure_effect(
        t.samples(human_score=quality + t.normal(0, 0.7), reward=quality + t.normal(0, 0.3)),
        "reward",
        length,
        "human_score",
    )
    assert seen.strength > 0.3
    assert not seen.bought(0.3, SURE)


@pytest.mark.filterwarnings("ignore:overflow encountered", "ignore:invalid value encountered")
def test_rewards_too_large_to_be_squared_show_no_effect():
    t = Training()
    samples = t.samples(reward=np.where(t.hardness > 0.5, 1e308, 0.0), length=t.hardness)
    assert np.isfinite(measure_effect(samples, "reward", samples["length"], None).strength)
