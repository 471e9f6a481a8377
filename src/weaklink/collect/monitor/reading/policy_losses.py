"""The policies of an update: which heads they are, and what their losses weigh actions with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weaklink.base.evidence.recovered import BETA, RecoveredPolicy
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, UpdateReading
from weaklink.collect.monitor.policy_reading import read_weights
from weaklink.collect.monitor.reading.baselines import fit_baseline
from weaklink.collect.monitor.reading.beta_policies import recover_beta
from weaklink.collect.monitor.reading.estimators import compute_gae
from weaklink.collect.monitor.reading.gaussian_policies import recover_gaussian
from weaklink.collect.monitor.reading.lines import are_standardised
from weaklink.collect.monitor.reading.policies import drop_ratios, recover_choices
from weaklink.collect.monitor.reading.policy_ends import read_policy_ends
from weaklink.collect.monitor.reading.side_by_side import join_pairs
from weaklink.collect.monitor.reading.tape_rows import TakenActions
from weaklink.collect.monitor.reading.values import ValueRecovery
from weaklink.collect.monitor.reading.weights import EXACT

LAMBDAS = (1.0, 0.97, 0.95, 0.9, 0.8, 0.5, 0.0)
"""Tried for the advantages of a policy whose critic has other targets, such as rewards to go."""

FOLLOWS = 0.3
"""The correlation with the advantages from which on weights are made of returns, whatever is subtracted from them."""


def recover_policies(
    reading: UpdateReading, waiting: list[list[HeadCall]], taken: TakenActions, critics: list[ValueRecovery]
) -> tuple[list[RecoveredPolicy], UpdateReading]:
    """The policies among heads that are no critics, and the reading in which each of them is one head."""
    advantages = [
        each for critic in critics if critic.steps is not None for each in _list_advantages(critic, reading.tape.rows)
    ]
    advantages += [critic.above for critic in critics if critic.above is not None]
    recover = recover_choices if taken.discrete else _recover_continuous
    found = (recover(reading, calls, taken, advantages) for calls in waiting)
    policies = [_add_baseline(reading, policy, critics) for policy in found if policy is not None]
    policies = [_add_ends(reading, policy, critics, advantages) for policy in policies]
    if any(critic.corrected for critic in critics):  # the ratio of both policies is part of the advantages
        policies = [drop_ratios(policy) for policy in policies]
    if policies or taken.discrete:
        return policies, reading
    for joined in join_pairs(reading, waiting, taken.table.shape[1]):
        head = next(each for each in joined.heads if each not in reading.heads)
        policy = _recover_continuous(joined, joined.of_head(head), taken, advantages)
        if policy is not None and (policy.kind == BETA or abs(policy.correlation or 0.0) > EXACT):
            return [policy], joined
    return [], reading


def _recover_continuous(
    reading: UpdateReading, calls: Sequence[HeadCall], taken: TakenActions, advantages: Sequence[Array]
) -> RecoveredPolicy | None:
    """A head of a density: means, with or without the logarithms of spreads, or what a Beta distribution is made of."""
    width, dimensions = calls[0].outputs.shape[1], taken.table.shape[1]
    if width not in (dimensions, 2 * dimensions):
        return None
    beta = recover_beta(reading, calls, taken, advantages)
    return beta if beta is not None else recover_gaussian(reading, calls, taken, advantages)


def _add_baseline(reading: UpdateReading, policy: RecoveredPolicy, critics: Sequence[ValueRecovery]) -> RecoveredPolicy:
    """With how much of the critic's value is subtracted from the returns, where the advantages do not fit exactly."""
    steps = next((each.steps for each in critics if each.steps is not None), None)
    if steps is None or policy.correlation is None or policy.correlation <= FOLLOWS:
        return policy
    if policy.correlation >= EXACT and not are_standardised(steps.targets):
        return policy
    seen = read_weights(reading, policy.head)
    if seen is None:
        return policy
    targets, values = (steps.spread(each, reading.tape.rows) for each in (steps.targets, steps.values))
    return replace(policy, baseline=fit_baseline(seen, policy.entropy_weight, targets, values))


def _add_ends(
    reading: UpdateReading, policy: RecoveredPolicy, critics: Sequence[ValueRecovery], advantages: Sequence[Array]
) -> RecoveredPolicy:
    """With what its advantages go on with at ends, where they follow the critic's in all other rows alone."""
    critic = next((each for each in critics if each.steps is not None), None)
    if critic is None or policy.correlation is None or policy.correlation >= EXACT:
        return policy
    return replace(policy, ends=read_policy_ends(reading, policy, critic, advantages))


def _list_advantages(critic: ValueRecovery, count: int) -> list[Array]:
    """What a policy beside this critic may be weighed with: its targets less its values, or another lambda.

    By row of a tape of so many rows; nothing where the critic's own steps are not known.
    """
    steps = critic.steps
    if steps is None:
        return []
    found = [steps.targets - steps.values]
    if critic.values.gamma is not None:
        found += [compute_gae(steps, critic.values.gamma, lam) for lam in LAMBDAS]
    return [steps.spread(each, count) for each in found]
