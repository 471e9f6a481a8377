"""Everything that one look at an update allows to be measured."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import Any

import numpy as np

from weaklink.base.evidence.recovered import RecoveredUpdate
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
from weaklink.collect.monitor.measures.distributions import Histogram, compute_histogram, summarise_distribution
from weaklink.collect.monitor.measures.episodes import trace_last_episode
from weaklink.collect.monitor.measures.exploration import entropy, relative_entropy, summarise_action_spread
from weaklink.collect.monitor.measures.gradients import typical_change
from weaklink.collect.monitor.measures.numbers import make_sample
from weaklink.collect.monitor.measures.policy import log_prob_min, measure_policy_change, measure_sampler_gap
from weaklink.collect.monitor.measures.returns import abs_max, measure_group_spread, nonzero_fraction
from weaklink.collect.monitor.measures.value import (
    find_target_distance,
    penultimate_correlation,
    residual_variance,
    step_correlation,
    terminal_correlation,
)


@np.errstate(all="ignore")
def measure_rollout(rollout: Rollout) -> dict[str, float]:
    """Every number that the parts of a rollout allow, by its name in the vocabulary.

    A part with a number that is none gives nan; one that is empty, or that the measure does not fit, gives nothing.
    """
    found: dict[str, float] = {}
    for name, measure in PARTS.items():
        part = getattr(rollout, name)
        if part is not None:
            found.update(measure(part))
    return found


def compute_histograms(rollout: Rollout) -> dict[str, Histogram]:
    """The histogram (edges, counts) of everything that has a distribution."""
    given: dict[str, Any] = {}
    if rollout.targets is not None:
        given |= {"reward": rollout.targets.rewards, "returns.target": rollout.targets.targets}
    if rollout.groups is not None:
        given |= {"reward": rollout.groups.rewards, "returns.advantage": rollout.groups.advantages}
    if rollout.estimates is not None:
        estimates = rollout.estimates
        given |= {
            "reward": estimates.rewards,
            "value": estimates.values,
            "returns.target": estimates.returns,
            "returns.advantage": estimates.advantages,
        }
    if rollout.ages is not None:
        given["data.staleness"] = rollout.ages.updates
    drawn = {name: compute_histogram(array) for name, array in given.items() if array is not None}
    return {name: picture for name, picture in drawn.items() if picture is not None}


def trace_episode(rollout: Rollout) -> dict[str, Any] | None:
    """Values and rewards of the whole episode that ended last, or None where none lies within the rollout."""
    estimates = rollout.estimates
    if estimates is None or estimates.values is None or estimates.ended is None:
        return None
    return trace_last_episode(estimates.values, estimates.rewards, estimates.ended)


def _select_known(**numbers: float | None) -> dict[str, float]:
    """The numbers there are; `link__quantity` stands for `link.quantity`."""
    return {name.replace("__", "."): value for name, value in numbers.items() if value is not None}


def _summarise_arrays(**arrays: Any) -> dict[str, float]:
    """The distribution of each array there is; a name `link__` or `link__quantity_` is the prefix."""
    found: dict[str, float] = {}
    for prefix, array in arrays.items():
        lies = None if array is None else summarise_distribution(array)
        if lies is not None:
            found |= lies.named(prefix.replace("__", "."))
    return found


def _measure_targets(part: Targets) -> dict[str, float]:
    found = _summarise_arrays(reward__=part.rewards, returns__target_=part.targets, value__=part.own_values)
    return found | _select_known(reward__nonzero_fraction=nonzero_fraction(part.rewards))


def _measure_groups(part: CompletionGroups) -> dict[str, float]:
    found = _summarise_arrays(reward__=part.rewards, returns__advantage_=part.advantages)
    found |= measure_group_spread(part.rewards, part.prompts)
    return found | _select_known(returns__advantage_abs_max=abs_max(part.advantages))


def _measure_estimates(part: Estimates) -> dict[str, float]:
    given = (part.rewards, part.values, part.returns, part.advantages)
    rewards, values, returns, advantages = (None if each is None else make_sample(each) for each in given)
    found = _summarise_arrays(
        reward__=rewards, value__=values, returns__target_=returns, returns__advantage_=advantages
    )
    found |= _select_known(
        reward__nonzero_fraction=None if rewards is None else nonzero_fraction(rewards),
        returns__advantage_abs_max=None if advantages is None else abs_max(advantages),
    )
    residual = None if returns is None or values is None else residual_variance(returns, values)
    if residual is not None:
        found |= {"value.residual_variance": residual, "value.explained_variance": 1.0 - residual}
    return found | _measure_correlations(part)


def _measure_correlations(part: Estimates) -> dict[str, float]:
    values, rewards, terminated, ended = part.values, part.rewards, part.terminated, part.ended
    if values is None or terminated is None or ended is None:
        return {}
    return _select_known(
        value__terminal_correlation=terminal_correlation(values, rewards, terminated),
        value__penultimate_correlation=penultimate_correlation(values, rewards, terminated, ended),
        value__step_correlation=step_correlation(values, rewards, ended),
    )


def _measure_probabilities(part: Probabilities) -> dict[str, float]:
    found = _select_known(policy__log_prob_min=log_prob_min(part.stored))
    if part.after is not None:
        found |= measure_policy_change(part.stored, part.after, part.clip_range)
    return found


def _measure_spread(part: PolicySpread) -> dict[str, float]:
    found: dict[str, float] = {}
    if part.entropy is not None:
        found |= _select_known(exploration__entropy=entropy(part.entropy))
        if part.largest_entropy is not None:
            found |= _select_known(exploration__relative_entropy=relative_entropy(part.entropy, part.largest_entropy))
    if part.action_std is not None:
        found |= summarise_action_spread(part.action_std)
    return found


def _measure_ages(part: SampleAges) -> dict[str, float]:
    numbers = make_sample(part.updates)
    if numbers is None:
        return {}
    mean = float(numbers.sample.mean()) if numbers.finite else float("nan")
    return {"data.staleness": mean, "data.staleness_max": numbers.largest if numbers.finite else float("nan")}


def _measure_sampler(part: SamplerLogProbs) -> dict[str, float]:
    if part.sampled is None or part.trained is None:
        return {}
    return measure_sampler_gap(part.sampled, part.trained, part.mask)


def _measure_reference(part: ReferenceKl) -> dict[str, float]:
    lies = summarise_distribution(part.kl)
    return {} if lies is None else {"policy.kl_reference": lies.mean}


def _measure_movement(part: WeightMovement) -> dict[str, float]:
    return _select_known(
        optimizer__parameter_change=typical_change(part.parameters), optimizer__learning_rate=part.learning_rate
    )


def _measure_target_networks(part: tuple[TargetNetwork, ...]) -> dict[str, float]:
    return _select_known(value__target_distance=find_target_distance(part))


def _measure_temperature(part: Temperature) -> dict[str, float]:
    return {"exploration.temperature": exp(min(part.after, 700.0))}


def _measure_recovered(part: RecoveredUpdate) -> dict[str, float]:
    return _select_known(returns__gamma=next((each.gamma for each in part.values if each.gamma is not None), None))


PARTS: dict[str, Callable[[Any], dict[str, float]]] = {
    "targets": _measure_targets,
    "groups": _measure_groups,
    "estimates": _measure_estimates,
    "probabilities": _measure_probabilities,
    "spread": _measure_spread,
    "ages": _measure_ages,
    "sampler": _measure_sampler,
    "reference": _measure_reference,
    "movement": _measure_movement,
    "target_networks": _measure_target_networks,
    "temperature": _measure_temperature,
    "recovered": _measure_recovered,
}
"""How each part of a rollout is measured, by the name of the part; a later one has the last word."""
