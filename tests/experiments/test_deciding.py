"""When seeds are enough to say so, on numbers that are made up."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.proving import FALLS, MOVES, RISES, Promise
from weaklink.base.stats.exact import at_least, at_most, higher_chance
from weaklink.verbs.confirm.deciding import decide_cure, decide_recurrence, match_seeds
from weaklink.verbs.confirm.experiment import ExperimentArm, ExperimentVerdict, SeedResult

KL = Promise(metrics=("policy.kl",), then=FALLS, level=0.02)


def arm(fired: list[bool | None], values: list[float] | None = None, metric: str = "policy.kl") -> ExperimentArm:
    numbers = values or [0.0] * len(fired)
    tried = (
        SeedResult(seed=seed, fired=one, values={metric: value})
        for seed, (one, value) in enumerate(zip(fired, numbers, strict=True))
    )
    return ExperimentArm(name="arm", tried=tuple(tried))


def test_exact_chances():
    assert at_least(2, 3, 0.1) == pytest.approx(0.028)
    assert at_most(0, 5, 0.5) == pytest.approx(1 / 32)
    assert higher_chance(np.array([4.0, 5.0, 6.0]), np.array([1.0, 2.0, 3.0])) == pytest.approx(1 / 20)
    assert higher_chance(np.array([1.0, 1.0]), np.array([1.0, 1.0])) == 1.0
    many = np.arange(40.0)
    assert higher_chance(many + 100.0, many) < 0.001
    assert higher_chance(many, many) > 0.4


@pytest.mark.parametrize(
    ("fired", "of", "verdict"),
    [
        (3, 3, ExperimentVerdict.CONFIRMED),
        (2, 3, ExperimentVerdict.CONFIRMED),
        (3, 5, ExperimentVerdict.CONFIRMED),
        (0, 5, ExperimentVerdict.REFUTED),
        (1, 8, ExperimentVerdict.REFUTED),
        (0, 3, ExperimentVerdict.UNDECIDED),
        (1, 3, ExperimentVerdict.UNDECIDED),
        (2, 5, ExperimentVerdict.UNDECIDED),
    ],
)
def test_a_finding_comes_back_or_not(fired, of, verdict):
    decided = decide_recurrence(arm([True] * fired + [False] * (of - fired)))
    assert decided.verdict is verdict
    assert f"{fired} of {of}" in decided.says
    assert bool(decided.decides) is (verdict is ExperimentVerdict.UNDECIDED)


def test_what_cannot_be_judged_is_not_counted():
    decided = decide_recurrence(arm([None, None, None]))
    assert decided.verdict is ExperimentVerdict.UNDECIDED
    lost = ExperimentArm(
        name="arm", tried=(SeedResult(seed=0, failure="ValueError: no"), SeedResult(seed=1, fired=True))
    )
    assert len(lost.judged) == 1
    assert "ValueError" in decide_recurrence(ExperimentArm(name="arm", tried=lost.tried[:1])).says


def test_a_cure_needs_the_promised_way_and_the_promised_level():
    ill = arm([True] * 5, [0.5, 0.6, 0.4, 0.9, 0.3])
    cured_well, difference = decide_cure(ill, arm([False] * 5, [0.01, 0.011, 0.009, 0.012, 0.008]), KL)
    assert cured_well.verdict is ExperimentVerdict.CONFIRMED
    assert difference is not None
    assert difference.high < 0
    assert difference.chance < 0.01
    halfway, _ = decide_cure(ill, arm([True] * 5, [0.1, 0.11, 0.09, 0.12, 0.08]), KL)
    assert halfway.verdict is ExperimentVerdict.UNDECIDED
    assert "stronger" in halfway.decides
    gone, _ = decide_cure(ill, arm([False] * 5, [0.03, 0.019, 0.025, 0.03, 0.021]), KL)
    assert gone.verdict is ExperimentVerdict.CONFIRMED, "the finding is gone, if only just"


def test_a_change_that_cures_nothing_is_refuted_and_few_seeds_decide_nothing():
    ill = arm([True] * 5, [0.5, 0.6, 0.4, 0.9, 0.3])
    same = arm([True] * 5, [0.45, 0.7, 0.35, 0.8, 0.4])
    assert decide_cure(ill, same, KL)[0].verdict is ExperimentVerdict.REFUTED
    few = decide_cure(arm([True] * 3, [0.5, 0.6, 0.4]), arm([True] * 3, [0.45, 0.7, 0.35]), KL)[0]
    assert few.verdict is ExperimentVerdict.UNDECIDED
    assert few.decides


def test_a_metric_that_moves_the_other_way_or_not_at_all_refutes():
    rises = Promise(metrics=("value.explained_variance",), then=RISES)
    metric = "value.explained_variance"
    high = arm([None] * 5, [0.5, 0.52, 0.48, 0.51, 0.49], metric)
    low = arm([None] * 5, [0.1, 0.12, 0.08, 0.11, 0.09], metric)
    assert decide_cure(high, low, rises)[0].verdict is ExperimentVerdict.REFUTED
    assert decide_cure(low, high, rises)[0].verdict is ExperimentVerdict.CONFIRMED
    reacts = Promise(metrics=(metric,), then=MOVES)
    assert decide_cure(high, low, reacts)[0].verdict is ExperimentVerdict.CONFIRMED
    assert decide_cure(high, high, reacts)[0].verdict is ExperimentVerdict.REFUTED


def test_seeds_of_another_length_and_those_of_one_arm_alone_are_not_compared():
    def lasting(*lengths: int, failure: str = "") -> ExperimentArm:
        tried = (SeedResult(seed=seed, steps=steps, failure=failure) for seed, steps in enumerate(lengths))
        return ExperimentArm(name="arm", tried=tuple(tried))

    before, after = match_seeds(lasting(2048, 2048, 1024), lasting(2000, 512, 1024))
    assert before.lengths == {0: 2048, 2: 1024}
    assert after.lengths == {0: 2000, 2: 1024}
    assert match_seeds(lasting(64, 64), lasting(64, 64, failure="it died"))[1].whole == ()


def test_a_metric_that_is_not_recorded_is_asked_for():
    decided, difference = decide_cure(arm([True] * 3), ExperimentArm(name="b"), KL)
    assert difference is None
    assert "policy.kl" in decided.decides


def test_chance_alone_confirms_no_more_often_than_promised():
    rng, falls = np.random.default_rng(0), Promise(metrics=("policy.kl",), then=FALLS)
    said = [
        decide_cure(arm([True] * 5, list(rng.normal(1, 0.3, 5))), arm([None] * 5, list(rng.normal(1, 0.3, 5))), falls)[
            0
        ]
        for _ in range(120)
    ]
    assert np.mean([one.verdict is ExperimentVerdict.CONFIRMED for one in said]) <= 0.1
