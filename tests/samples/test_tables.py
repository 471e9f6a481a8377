"""The tables of an audit, each against numbers worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.verifier import ATTACK, FORM, RAISED, VerifierAttempt, VerifierCheck
from weaklink.collect.samples.groups import summarise_groups
from weaklink.collect.samples.tables import make_tables, summarise_attempts
from weaklink.collect.samples.trends import MOST_BINS, compute_trends, find_peak


def trend(samples: Samples, name: str):
    return next(one for one in compute_trends(samples) if one.name == name)


# -- what is paid


def test_components_with_their_part_in_the_whole():
    generator = np.random.default_rng(0)
    right = generator.integers(0, 2, 400).astype(float)
    form = generator.normal(size=400)
    samples = Samples.of(reward=right + 3 * form, reward__right=right, reward__form=form, gold=right)
    whole, first, second = make_tables(samples).components
    assert (whole.name, first.name, second.name) == ("reward", "right", "form")
    assert first.mean == pytest.approx(right.mean())
    assert second.spread == pytest.approx(form.std())
    assert second.share > 0.9 > 0.1 > first.share
    assert first.with_outcome == pytest.approx(1.0)
    assert abs(second.with_outcome) < 0.15
    assert whole.share is None


def test_a_part_that_never_changes_has_no_share():
    samples = Samples.of(reward=np.arange(20.0), reward__format=np.ones(20))
    constant = make_tables(samples).components[1]
    assert (constant.mean, constant.spread, constant.share, constant.with_outcome) == (1.0, 0.0, None, None)


def test_leanings_are_told_raw_and_at_equal_outcome():
    generator = np.random.default_rng(1)
    gold = generator.integers(0, 2, 2000).astype(float)
    honest = Samples.of(reward=gold, gold=gold, length=100 + 80 * gold + generator.normal(0, 10, 2000))
    (leaning,) = make_tables(honest).leanings
    assert leaning.raw > 0.8
    assert leaning.at_equal_outcome is None  # the reward never changes at one outcome
    length = generator.normal(100, 20, 2000)
    hacked = Samples.of(reward=length + 0.1 * generator.normal(size=2000), gold=gold, length=length, style__bold=gold)
    first, second = make_tables(hacked).leanings
    assert (first.feature, second.feature) == ("length", "style.bold")
    assert first.at_equal_outcome > 0.95


def test_without_an_outcome_only_the_plain_one_is_told():
    samples = Samples.of(reward=np.arange(30.0), length=np.arange(30.0)[::-1])
    found = make_tables(samples)
    assert found.outcome is None
    assert found.leanings[0].raw == pytest.approx(-1.0)
    assert found.leanings[0].at_equal_outcome is None
    assert found.peak is None


# -- by training step


def test_a_bin_a_step_where_there_are_few():
    samples = Samples.of(step=[20, 10, 10, 20, 30], length=[4.0, 1.0, 3.0, np.nan, 9.0])
    found = trend(samples, "length")
    assert found.steps == (10.0, 20.0, 30.0)
    assert found.values == (2.0, 4.0, 9.0)
    assert (found.start, found.end) == (2.0, 9.0)


def test_many_steps_become_bins():
    steps = np.repeat(np.arange(500.0), 3)
    found = trend(Samples.of(step=steps, reward=steps), "reward")
    assert 30 <= len(found.values) <= MOST_BINS
    assert found.steps[0] == 0.0
    assert list(found.values) == sorted(found.values)


def test_one_step_or_none_gives_no_trend():
    assert compute_trends(Samples.of(step=[5, 5, 5], reward=[1, 2, 3])) == ()
    assert compute_trends(Samples.of(reward=[1, 2, 3])) == ()
    assert compute_trends(Samples.of(step=[np.nan, 1, np.nan], reward=[1, 2, 3])) == ()
    assert trend(Samples.of(policy_version=[1, 2], reward=[3, 4]), "reward").values == (3.0, 4.0)


def test_templates_openings_and_different_answers():
    samples = Samples.of(
        step=[1] * 4 + [2] * 4,
        template=[7, 7, 8, 9, 7, 7, 7, 7],
        answer=[1, 2, 3, 4, 5, 5, 6, 6],
        text=[1, 1, 2, 3, 4, 4, 4, 4],
        group=[0, 0, 1, 1, 2, 2, 3, 3],
    )
    assert trend(samples, "commonest template").values == (0.5, 1.0)
    assert trend(samples, "different answers").values == (1.0, 0.5)
    assert trend(samples, "different texts").values == (0.75, 0.5)


def test_the_peak_of_the_outcome_and_what_was_paid_there():
    steps = np.repeat(np.arange(20.0), 10)
    gold = np.where(steps < 10, steps, 20 - steps)
    found = find_peak(Samples.of(step=steps, reward=steps, gold=gold))
    assert found.outcome == "gold"
    assert found.step == 10.0
    assert found.reward_there == pytest.approx(10.0)
    assert found.outcome_at_end < 2.0
    assert found.reward_at_end > 18.0
    assert found.reward_peak_step == 19.0
    assert find_peak(Samples.of(step=[1, 2, 3], reward=[1, 2, 3], gold=[1, 2, 3])) is None


# -- groups


def test_groups_by_size_spread_and_ends():
    samples = Samples.of(
        group=[0, 0, 0, 1, 1, 2, 2, 3],
        reward=[1, 1, 1, 0, 0, 0, 1, 1],
        gold=[1, 1, 1, 0, 0, 0, 1, 1],
    )
    found = summarise_groups(samples)
    assert (found.count, found.alone, found.smallest, found.usual, found.largest) == (3, 1, 2, 2, 3)
    assert found.no_spread == pytest.approx(2 / 3)
    assert found.all_right == pytest.approx(1 / 3)
    assert found.all_wrong == pytest.approx(1 / 3)
    assert found.spread == 0.0
    assert found.between > 0


def test_the_order_of_rows():
    neat = Samples.of(group=[0, 0, 1, 1], prompt=[5, 5, 6, 6], step=[1, 1, 2, 2], reward=[0, 1, 0, 1])
    found = summarise_groups(neat)
    assert (found.adjacent, found.one_prompt, found.steps_back) == (1.0, 1.0, 0)
    mixed = Samples.of(group=[0, 1, 0, 1], prompt=[5, 5, 6, 5], step=[1, 1, 2, 1], reward=[0, 1, 0, 1])
    found = summarise_groups(mixed)
    assert (found.adjacent, found.one_prompt, found.steps_back) == (0.0, 0.5, 1)


def test_without_groups_there_is_nothing_to_tell():
    assert summarise_groups(Samples.of(reward=[1, 2])) is None
    assert summarise_groups(Samples.of(reward=[1, 2], group=[0, 1])) is None
    assert summarise_groups(Samples.of(reward=[1, 2], group=[-1, -1])) is None
    bare = summarise_groups(Samples.of(length=[1, 2], group=[4, 4]))
    assert (bare.count, bare.spread, bare.no_spread, bare.one_prompt) == (1, None, None, None)


def test_rewards_that_are_missing_do_not_count():
    found = summarise_groups(Samples.of(group=[0, 0, 1, 1], reward=[np.nan, 1, 0, 1]))
    assert found.no_spread == 0.0
    assert found.spread == 0.5


# -- all of it


def test_nothing_at_all_is_no_fault():
    found = make_tables(Samples.of(length=[]))
    assert (found.rows, found.used, found.components, found.trends, found.groups) == (0, 0, (), (), None)


def test_huge_numbers_and_infinities_do_not_raise():
    rewards = np.array([1e308, -1e308, np.inf, np.nan] * 10)
    samples = Samples.of(reward=rewards, gold=rewards, length=rewards, step=np.arange(40.0), group=np.arange(40) // 4)
    assert make_tables(samples).rows == 40


def test_many_rows_with_large_codes_are_no_trouble():
    generator = np.random.default_rng(0)
    count = 200_000
    columns = {name: generator.normal(size=count) for name in ("reward", "gold", "length", "repetition", "style__bold")}
    codes = {name: generator.integers(0, 2**40, count) for name in ("template", "answer", "text")}
    samples = Samples.of(
        step=np.sort(generator.integers(0, 900, count)), group=np.arange(count) // 8, **columns, **codes
    )
    assert make_tables(samples).groups.count == count // 8


# -- the verifier


def attempt(family: str, kind: str, score: float | None, **changes) -> VerifierAttempt:
    facts = dict(case=0, prompt="2+2", answer="4", text="x", characters=1, right=1.0, wrong=0.0)
    return VerifierAttempt(family=family, kind=kind, score=score, **{**facts, **changes})


def test_what_a_verifier_paid_by_kind():
    attempts = (
        attempt(ATTACK, "empty", 0.0),
        attempt(ATTACK, "every option", 1.0),
        attempt(ATTACK, "every option", 0.5),
        attempt(FORM, "empty", None, failed=RAISED),
    )
    empty, options, failed = summarise_attempts(VerifierCheck(name="v", attempts=attempts))
    assert (empty.kind, empty.attempts, empty.lowest, empty.highest) == ("empty", 1, 0.0, 0.0)
    assert (options.lowest, options.highest, options.failed) == (0.5, 1.0, 0)
    assert (failed.family, failed.lowest, failed.failed) == (FORM, None, 1)
