from __future__ import annotations

import numpy as np
import pytest

from tests.worlds import box, changed, play, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.observation.scale_mismatch import scale_mismatch

PPO = {"algo": "PPO"}


def stretched(factors=(1.0, 1000.0, 1.0), config=None, **fields):
    made = play("random", columns=len(factors))
    rows = made.observations / made.observations.std(axis=0) * np.asarray(factors)
    survey = world(config, observation=box(len(factors)), **fields)
    return changed(survey, plays={"random": play("random", columns=len(factors), observations=rows)})


def sick():
    return [
        stretched(config=PPO),
        stretched(),
        stretched(config={"algo": "SAC"}),
        stretched((1.0, 1e-3, 5.0), PPO),
    ]


def healthy():
    return [
        world(PPO),
        stretched((1.0, 90.0), PPO),
        # a dead column is another illness
        stretched((1.0, 0.0, 3.0), PPO),
        stretched((50.0,), PPO),
    ]


def test_names_both_columns():
    answer = scale_mismatch.rule.ask(stretched((5.0, 1000.0, 1.0), PPO))
    assert answer.severity is Level.WARN
    assert "observation[1] is 1,000 times that of observation[2]" in answer.message
    assert "nothing normalises them for ppo" in answer.message


def test_the_level_grows_with_the_distance_from_every_healthy_environment():
    """The spreads of the humanoids, whose contact forces are mostly nothing, are the largest of them."""
    levels = [scale_mismatch.rule.ask(stretched((1e-3, factor, 1.0))).severity for factor in (50.0, 1000.0, 1e6)]
    assert levels == [Level.INFO, Level.WARN, Level.ERROR]
    assert "healthy environments" in scale_mismatch.rule.ask(stretched((1e-3, 1000.0))).message
    assert "more than in" in scale_mismatch.rule.ask(stretched((1.0, 200.0))).message


def test_a_column_of_huge_numbers_counts_by_itself():
    answer = scale_mismatch.rule.ask(stretched((50.0, 20_000.0)))
    assert answer.severity is Level.WARN
    assert "spread of the widest column" in answer.message
    # units alone are no trouble as long as all columns share them
    assert scale_mismatch.rule.ask(stretched((20_000.0, 10_000.0))) is None


def test_large_units_with_an_ordinary_ratio_are_worth_knowing_only():
    """A queue of some thousand jobs beside the number of servers."""
    assert scale_mismatch.rule.ask(stretched((1250.0, 10.0))).severity is Level.INFO
    assert scale_mismatch.rule.ask(stretched((1250.0, 4.0))).severity is Level.WARN
    assert scale_mismatch.rule.ask(stretched((1250.0, 10.0), PPO)).severity is Level.WARN
    assert scale_mismatch.rule.ask(stretched((1e6, 8000.0))).severity is Level.ERROR


def test_a_normaliser_keeps_even_the_largest_spread_at_information():
    assert scale_mismatch.rule.ask(stretched((1e-3, 1e7), {"norm_obs": True})).severity is Level.INFO


@pytest.mark.parametrize("config", [{}, {"algo": "SAC"}, {"algo": "DQN"}, {"algo": "mystery"}])
def test_off_policy_and_unknown_algorithms_are_worth_knowing_only(config):
    assert scale_mismatch.rule.ask(stretched(config=config)).severity is Level.INFO


@pytest.mark.parametrize(
    "config",
    [
        {"normalize": True},
        {"normalize": "{'norm_obs': True, 'norm_reward': False}"},
        {"normalize_kwargs": {"norm_obs": True}},
        {"normalize_input": True},
        {"observation_filter": "MeanStdFilter"},
        {"state_preprocessor": "RunningStandardScaler"},
    ],
)
def test_a_normaliser_in_the_settings_makes_it_worth_knowing_only(config):
    assert scale_mismatch.rule.ask(stretched(config=PPO | config)).severity is Level.INFO


@pytest.mark.parametrize("config", [{"norm_obs": False}, {"observation_filter": "NoFilter"}, {"norm_reward": True}])
def test_settings_that_normalise_no_observation_do_not_excuse(config):
    assert scale_mismatch.rule.ask(stretched(config=PPO | config)).severity is Level.WARN


@pytest.mark.parametrize(
    ("wrapper", "level"),
    [
        ("NormalizeObservation", Level.INFO),
        ("VecNormalize", Level.INFO),
        ("RescaleObservation", Level.INFO),
        ("NormalizeReward", Level.WARN),
        ("TimeLimit", Level.WARN),
    ],
)
def test_wrappers_count(wrapper, level):
    assert scale_mismatch.rule.ask(stretched(config=PPO, facts={"wrappers": (wrapper,)})).severity is level


def test_choices_have_no_scale():
    space = Space(kind="multi_discrete", shape=(3,), choices=(2, 5000, 2), first=(0, 0, 0))
    assert scale_mismatch.rule.ask(changed(stretched(config=PPO), observation=space)) is None


def test_too_few_steps():
    short = changed(stretched(config=PPO), plays={"random": play("random", episodes=2)})
    assert isinstance(scale_mismatch.rule.ask(short), CannotTell)
