from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM316")


def pairs(chosen, rejected, **columns):
    return Training().samples(step=None, group=None, chosen_quality=chosen, rejected_quality=rejected, **columns)


def scored(lead, noise):
    """Pairs with given scores, the chosen one's ahead by so much."""
    t = Training(seed=1)
    return pairs(t.normal(lead, noise), t.normal(5.0, noise), pair_scored=np.ones(t.rows))


def sick():
    t = Training()
    return [
        pairs(t.normal(2.0, 1.0), t.normal(5.0, 1.0)),
        pairs(t.share(0.45, 0.2), t.share(0.6, 0.2)),
        # most pairs are even, the rest is swapped
        pairs(np.ones(t.rows) - 0.5 * t.chance(0.1), np.ones(t.rows)),
        # half of the pairs are swapped, whose scores are given
        scored(5.0 + 2.0 * t.rng.choice((-1, 1), t.rows), 0.5),
        # three in ten are, near and far alike
        scored(5.0 + 2.0 * np.where(t.chance(0.3), -1, 1) * np.abs(t.normal(1.0, 0.6)), 0.1),
    ]


def healthy():
    t = Training()
    return [
        pairs(t.normal(5.0, 1.0), t.normal(2.0, 1.0)),
        # noisy scores
        pairs(t.normal(0.1, 1.0), t.normal(0.0, 1.0)),
        pairs(t.normal(0.0, 1.0), t.normal(0.0, 1.0)),
        pairs(np.ones(t.rows), np.ones(t.rows)),
        # scores of a model that agrees with people in 65 % of the pairs; and one that disagrees with a fifth wholly
        scored(5.55, 1.0),
        scored(5.0 + 2.0 * np.where(t.chance(0.2), -1, 1), 0.5),
        # rejected wins a little more often
        pairs(t.normal(0.0, 1.0), t.normal(0.2, 1.0)),
    ]


def test_nearly_all_swapped_is_an_error():
    assert [RULE.ask(samples).level for samples in sick()] == [
        Level.ERROR,
        Level.WARN,
        Level.ERROR,
        Level.WARN,
        Level.WARN,
    ]


def test_pairs_of_few_prompts_count_as_few():
    t = Training()
    few = pairs(np.zeros(t.rows), np.ones(t.rows), prompt=np.arange(t.rows) % 5)
    assert RULE.ask(few) is None


def test_even_pairs_do_not_tell():
    assert isinstance(RULE.ask(healthy()[3]), CannotTell)


def test_pairs_over_the_limit_that_are_too_few_to_be_sure_are_no_health():
    lead = np.where(np.arange(100) % 12 < 5, -2.0, 2.0)
    t = Training()
    few = pairs(
        np.where(np.arange(t.rows) < 100, 5.0 + np.resize(lead, t.rows), np.nan),
        np.where(np.arange(t.rows) < 100, 5.0, np.nan),
        pair_scored=np.ones(t.rows),
    )
    assert isinstance(RULE.ask(few), CannotTell)
