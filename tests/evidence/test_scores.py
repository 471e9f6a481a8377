from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.evidence.contrast import Contrast, EvaluationEntry, EvaluationParty
from weaklink.base.evidence.manifest import Manifest
from weaklink.base.evidence.scores import score_contrast


def seeds(name: str, *groups: np.ndarray) -> EvaluationParty:
    """A party with a group of seeds on each task."""
    return EvaluationParty(
        name,
        tuple(
            EvaluationEntry(Manifest.of(task=f"t{task}", scores=list(group), seeds=list(range(len(group)))))
            for task, group in enumerate(groups)
        ),
    )


def items(name: str, scores: dict[str, float], **stated) -> EvaluationParty:
    return EvaluationParty(name, (EvaluationEntry(Manifest.of(task="gsm8k", scores=scores, per="item", **stated)),))


def normal(mean: float, count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, 1.0, count)


def test_seeds_that_lie_apart_are_told_apart():
    found = score_contrast(Contrast((seeds("a", normal(0, 8, 0)), seeds("b", normal(5, 8, 1)))))
    (pair,) = found.pairs
    assert (found.unit, found.statistic) == ("seed", "interquartile mean")
    assert pair.better == "b"
    assert pair.improvement.estimate == 1.0
    assert pair.difference.low > 0


def test_the_worse_one_loses_too():
    found = score_contrast(Contrast((seeds("a", normal(5, 8, 0)), seeds("b", normal(0, 8, 1)))))
    assert found.pairs[0].better == "a"


def test_three_seeds_are_never_enough_and_the_number_needed_is_told():
    found = score_contrast(Contrast((seeds("a", np.array([0.0, 1.0, 2.0])), seeds("b", np.array([3.0, 4.0, 5.0])))))
    assert found.pairs[0].better == ""
    assert found.pairs[0].needed == 4


def test_one_seed_has_no_interval():
    found = score_contrast(Contrast((seeds("a", np.array([1.0])), seeds("b", np.array([9.0])))))
    assert found.parties[0].interval is None
    assert np.isinf(found.pairs[0].difference.high)
    assert found.pairs[0].better == ""


@pytest.mark.slow
def test_like_seeds_are_seldom_told_apart():
    claims = 0
    for trial in range(60):
        sides = (seeds("a", normal(0, 5, 2 * trial)), seeds("b", normal(0, 5, 2 * trial + 1)))
        claims += bool(score_contrast(Contrast(sides)).pairs[0].better)
    assert claims <= 8


def test_tasks_of_unlike_scale_are_scaled_and_it_is_said():
    sides = (
        seeds("a", normal(0, 6, 0), 1000 + normal(0, 6, 1)),
        seeds("b", normal(4, 6, 2), 1004 + normal(0, 6, 3)),
    )
    found = score_contrast(Contrast(sides))
    assert found.scaled
    assert 0 <= found.parties[0].value < found.parties[1].value <= 1
    assert found.parties[1].tasks["t1"] == pytest.approx(1004, abs=1.5)
    assert any("scaled" in note for note in found.notes)


def test_only_tasks_that_all_have_are_compared():
    contrast = Contrast((seeds("a", normal(0, 5, 0), normal(0, 5, 1)), seeds("b", normal(0, 5, 2))))
    assert contrast.tasks == ("t0",)
    assert list(score_contrast(contrast).parties[0].tasks) == ["t0"]


def test_the_gap_to_a_target():
    found = score_contrast(Contrast((seeds("a", np.zeros(4)), seeds("b", np.full(4, 2.0))), target=1.0))
    assert [score.gap for score in found.parties] == [1.0, 0.0]


def test_items_are_compared_one_by_one():
    rng = np.random.default_rng(0)
    hard = rng.random(300)
    one = {f"q{place}": float(each < 0.5) for place, each in enumerate(hard)}
    two = {f"q{place}": float(each < 0.58) for place, each in enumerate(hard)}
    found = score_contrast(Contrast((items("a", one), items("b", two))))
    (pair,) = found.pairs
    assert (found.unit, found.statistic) == ("item", "mean")
    assert pair.only_first == 0
    assert pair.only_second == sum(two.values()) - sum(one.values())
    assert pair.chance < 0.001
    assert pair.better == "b"
    # the difference is known far better than either score
    score = found.parties[0].interval
    assert pair.difference.high - pair.difference.low < 0.7 * (score.high - score.low)


def test_items_that_not_all_have_are_left_out():
    one = {f"q{place}": 1.0 for place in range(10)}
    two = {f"q{place}": 0.0 for place in range(2, 12)}
    found = score_contrast(Contrast((items("a", one), items("b", two))))
    assert [score.count for score in found.parties] == [8, 8]
    assert found.notes == ("4 items that not all have were left out",)


def test_several_tries_of_an_item_are_its_mean():
    found = score_contrast(Contrast((items("a", {"x": [1, 0], "y": [1, 1]}), items("b", {"x": [0, 0], "y": [1, 0]}))))
    assert [score.value for score in found.parties] == [0.75, 0.25]
    assert found.pairs[0].only_first is None


def test_three_parties_hold_together_at_the_confidence():
    found = score_contrast(
        Contrast((seeds("a", normal(0, 9, 0)), seeds("b", normal(0, 9, 1)), seeds("c", normal(0, 9, 2))))
    )
    assert found.confidence == pytest.approx(0.975)
    assert [(pair.first, pair.second) for pair in found.pairs] == [("a", "b"), ("a", "c")]


def test_the_same_seed_gives_the_same_numbers():
    contrast = Contrast((seeds("a", normal(0, 6, 0)), seeds("b", normal(1, 6, 1))))
    assert score_contrast(contrast) == score_contrast(contrast)


def test_the_protocol_shows_what_differs_first():
    one, two = (
        items("a", {"x": 1.0}, temperature=0, top_p=1),
        items("b", {"x": 1.0}, temperature=1, top_p=1, judge="v2"),
    )
    rows = Contrast((one, two)).protocol
    assert [(row.name, row.values, row.differs) for row in rows] == [
        ("temperature", ("0", "1"), True),
        ("top_p", ("1", "1"), False),
        ("judge", ("", "v2"), False),
    ]
