from __future__ import annotations

import math

import numpy as np
import pytest

from tests.counting import count_lines
from tests.monitor.measures import cases
from weaklink.base.evidence.metrics import ACTION_STD, METRICS
from weaklink.base.evidence.model import Parameter
from weaklink.base.evidence.rollout import (
    CompletionGroups,
    Estimates,
    PolicySpread,
    Probabilities,
    ReferenceKl,
    Rollout,
    SampleAges,
    SamplerLogProbs,
    TargetNetwork,
    Targets,
    Temperature,
    WeightMovement,
)
from weaklink.collect.monitor.measures import compute_histograms, measure_rollout, summarise_distribution, trace_episode


def rollout(shape=(256, 8), seed=0, **parts):
    """Everything that an on-policy update can show."""
    rewards, values, returns, terminated, truncated = cases.experience(shape, seed, ends=0.05)
    draws = np.random.default_rng(seed)
    stored = -np.abs(draws.normal(1.0, 0.4, rewards.size))
    everything = {
        "estimates": Estimates(
            rewards=rewards,
            values=values,
            terminated=terminated,
            truncated=truncated,
            advantages=returns - values,
            returns=returns,
        ),
        "probabilities": Probabilities(
            stored=stored, after=stored + draws.normal(0.0, 0.1, stored.size), clip_range=0.2
        ),
        "spread": PolicySpread(entropy=draws.random(64), largest_entropy=2.0, action_std=np.array([0.5, 0.2])),
        "ages": SampleAges(updates=np.array([0.0, 1.0, 5.0]), tolerated=0.0),
        "target_networks": (TargetNetwork(name="q", distances=(0.3, 0.1), moved=(), online_moved=()),),
        "movement": WeightMovement(
            parameters=(Parameter(name="w", size=9, changed=0.01),), optimizer_steps=3, learning_rate=3e-4
        ),
        "temperature": Temperature(before=0.0, after=math.log(0.2), entropy_excess=0.0),
    }
    return Rollout(step=1.0, update=1, **{**everything, **parts})


def test_every_number_has_a_name_in_the_vocabulary():
    found = measure_rollout(rollout())
    assert {name for name in found if name not in METRICS and not name.startswith(ACTION_STD)} == set()
    assert all(isinstance(number, float) and math.isfinite(number) for number in found.values())
    for prefix in ("reward.", "value.", "returns.target_", "returns.advantage_"):
        assert {f"{prefix}{word}" for word in ("mean", "std", "min", "max", "q05", "median", "q95")} <= set(found)


def test_every_number_is_that_of_its_part():
    look = rollout()
    found, part = measure_rollout(look), look.estimates
    assert found["reward.median"] == summarise_distribution(part.rewards).median
    assert found["returns.target_max"] == float(part.returns.max())
    assert found["returns.advantage_abs_max"] == float(np.abs(part.advantages).max())
    left = part.returns - part.values
    assert found["value.explained_variance"] == pytest.approx(1.0 - left.var() / part.returns.var(), rel=1e-5)
    assert found["value.residual_variance"] == pytest.approx(1.0 - found["value.explained_variance"])
    ends = part.terminated
    assert found["value.terminal_correlation"] == pytest.approx(
        np.corrcoef(part.values[ends], part.rewards[ends])[0, 1]
    )
    moved = look.probabilities.after - look.probabilities.stored
    assert found["policy.kl"] == pytest.approx(np.mean(np.exp(moved) - 1.0 - moved))
    assert found["policy.log_prob_min"] == look.probabilities.stored.min()
    assert found["exploration.relative_entropy"] == pytest.approx(look.spread.entropy.mean() / 2.0)
    assert found["exploration.action_std.1"] == found["exploration.action_std_min"] == 0.2
    assert (found["data.staleness"], found["data.staleness_max"]) == (2.0, 5.0)
    assert found["value.target_distance"] == 0.1
    assert (found["optimizer.parameter_change"], found["optimizer.learning_rate"]) == (0.01, 3e-4)
    assert found["exploration.temperature"] == pytest.approx(0.2)


def test_only_what_was_seen_is_measured():
    assert measure_rollout(Rollout(step=0.0, update=1)) == {}
    assert compute_histograms(Rollout(step=0.0, update=1)) == {}
    assert trace_episode(Rollout(step=0.0, update=1)) is None
    alone = Rollout(step=0.0, update=1, estimates=Estimates(rewards=np.ones(20)))
    assert {name.partition(".")[0] for name in measure_rollout(alone)} == {"reward"}
    before = Rollout(step=0.0, update=1, probabilities=Probabilities(stored=np.zeros(3), fresh=np.zeros(3)))
    assert set(measure_rollout(before)) == {"policy.log_prob_min"}
    empty = Rollout(step=0.0, update=1, estimates=Estimates(rewards=np.zeros((0, 4)), values=np.zeros((0, 4))))
    assert measure_rollout(empty) == {}


def test_constant_returns_give_no_share_and_no_nan():
    flat = Estimates(rewards=np.ones(32), values=np.ones(32), returns=np.ones(32), terminated=np.zeros(32, bool))
    found = measure_rollout(Rollout(step=0.0, update=1, estimates=flat))
    assert "value.explained_variance" not in found
    assert all(math.isfinite(number) for number in found.values())


def test_one_number_that_is_none_is_seen_where_it_is_and_nowhere_else():
    look = rollout()
    values = look.estimates.values.copy()
    values[100, 3] = np.nan
    found = measure_rollout(
        rollout(estimates=Estimates(rewards=look.estimates.rewards, values=values, returns=values * 0 + 1))
    )
    assert math.isnan(found["value.mean"])
    assert math.isfinite(found["reward.mean"])


def test_the_targets_of_a_replay_batch():
    draws = np.random.default_rng(0)
    rewards, targets, own = (draws.normal(size=64) for _ in range(3))
    batch = Targets(
        rewards=rewards, terminated=np.zeros(64), next_values=own, targets=targets, gamma=0.99, own_values=own
    )
    found = measure_rollout(Rollout(step=0.0, update=1, targets=batch))
    assert found["returns.target_mean"] == pytest.approx(targets.mean())
    assert found["value.mean"] == pytest.approx(own.mean())
    assert found["reward.nonzero_fraction"] == np.mean(np.abs(rewards) > 1e-3)
    assert set(compute_histograms(Rollout(step=0.0, update=1, targets=batch))) == {"reward", "returns.target"}


def test_what_language_models_show():
    rewards, advantages = np.array([0.0, 1.0, 1.0, 1.0]), np.array([-1.0, 1.0, 0.0, 0.0])
    groups = CompletionGroups(rewards=rewards, advantages=advantages, prompts=np.array([0, 0, 1, 1]), size=2)
    sampler = SamplerLogProbs(sampled=np.log([[0.5, 0.5]]), trained=np.log([[0.5, 0.6]]))
    look = Rollout(step=0.0, update=1, groups=groups, sampler=sampler, reference=ReferenceKl(kl=np.array([0.1, 0.3])))
    found = measure_rollout(look)
    assert set(found) <= set(METRICS)
    assert found["reward.zero_spread_fraction"] == 0.5
    assert found["returns.advantage_abs_max"] == 1.0
    assert found["policy.kl_reference"] == pytest.approx(0.2)
    assert found["data.importance_ratio_max"] == pytest.approx(1.2)
    assert measure_rollout(Rollout(step=0.0, update=1, sampler=SamplerLogProbs(checksums=(1.0,)))) == {}


def test_histograms_count_everything():
    look = rollout()
    found = compute_histograms(look)
    assert set(found) == {"reward", "value", "returns.target", "returns.advantage", "data.staleness"}
    for name, (edges, counts) in found.items():
        assert (len(edges), len(counts)) == (33, 32)
        assert counts.sum() == (3 if name == "data.staleness" else look.estimates.rewards.size)


def test_the_trace_is_of_a_whole_episode():
    found = trace_episode(rollout())
    assert found["length"] == len(found["values"]) == len(found["rewards"])


def test_nothing_given_is_changed():
    look = rollout()
    before = {name: getattr(look.estimates, name).copy() for name in ("rewards", "values", "advantages", "returns")}
    for name in before:
        getattr(look.estimates, name).flags.writeable = False
    measure_rollout(look), compute_histograms(look), trace_episode(look)
    assert all((getattr(look.estimates, name) == array).all() for name, array in before.items())


def test_it_is_arithmetic_on_arrays_however_large_they_are():
    small, large = rollout((2048,)), rollout((128, 4096))
    measure_rollout(small)  # what is loaded at the first use is not counted
    few, many = (count_lines(lambda look=look: measure_rollout(look)) for look in (small, large))
    assert many < 4_000
    assert abs(many - few) < 100, "256 times the numbers take as many lines"
