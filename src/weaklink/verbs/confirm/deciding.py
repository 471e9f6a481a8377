"""When seeds are enough to say so: does a finding come back, and does a change cure it?"""

from __future__ import annotations

from collections.abc import Set

import msgspec
import numpy as np

from weaklink.base.proving import FALLS, MOVES, RISES, Promise
from weaklink.base.stats.bootstrap import mean
from weaklink.base.stats.contest import compare_means
from weaklink.base.stats.exact import at_least, at_most, higher_chance
from weaklink.base.stats.level import Array
from weaklink.base.stats.seeds import seeds_needed
from weaklink.verbs.confirm.experiment import ArmDifference, ExperimentArm, ExperimentVerdict, SeedResult

CHANCE = 0.05
ACCIDENT = 0.1
"""How often a finding that was an accident of one seed would come back."""

HALF = 0.5
"""A finding of this project comes back in at least this share of its seeds, and a cure works in as many."""

NOTICEABLE = 0.1
"""A metric that moves by less than this part of itself has not followed the change."""

SAME_LENGTH = 0.05
"""Trainings whose steps differ by no more than this part are as long: no rollout is cut in the middle."""

MORE_TIME = "More time (--seconds) or shorter runs (--steps) let all seeds make their steps."

FEWEST_TO_REFUTE = 5
MOST_SEEDS = 200


class Decision(msgspec.Struct, frozen=True):
    """The verdict, why in one sentence, and what would decide where it is open."""

    verdict: ExperimentVerdict
    says: str
    decides: str = ""


def decide_recurrence(arm: ExperimentArm, what: str = "The finding") -> Decision:
    """Whether a finding is there again with fresh seeds."""
    seen, of = arm.fired, len(arm.judged)
    if not of:
        late = any(one.late for one in arm.tried)
        decides = MORE_TIME if late else "Longer runs (--steps) let the rule judge."
        return Decision(ExperimentVerdict.UNDECIDED, _explain_unjudged(arm), decides)
    told = f"{what} comes back in {seen} of {of} fresh seeds"
    if seen >= HALF * of and at_least(seen, of, ACCIDENT) <= CHANCE:
        return Decision(
            ExperimentVerdict.CONFIRMED, f"{told}, as chance alone would in {at_least(seen, of, ACCIDENT):.1%}."
        )
    if at_most(seen, of, HALF) <= CHANCE:
        return Decision(ExperimentVerdict.REFUTED, f"{told}: it is not what this project does as a rule.")
    return Decision(
        ExperimentVerdict.UNDECIDED,
        f"{told}: too few to tell.",
        f"{_count_needed_seeds(seen, of)} seeds would decide (--seeds).",
    )


def match_seeds(configured: ExperimentArm, changed: ExperimentArm) -> tuple[ExperimentArm, ExperimentArm]:
    """Both arms with the seeds alone that came to their end in both of them after as many steps."""
    before, after = configured.lengths, changed.lengths
    alike = {
        seed
        for seed in before.keys() & after.keys()
        if abs(before[seed] - after[seed]) <= SAME_LENGTH * max(before[seed], after[seed])
    }
    return _keep_seeds(configured, alike), _keep_seeds(changed, alike)


def _keep_seeds(arm: ExperimentArm, seeds: Set[int]) -> ExperimentArm:
    return msgspec.structs.replace(arm, tried=tuple(one for one in arm.whole if one.seed in seeds))


def decide_cure(
    configured: ExperimentArm, changed: ExperimentArm, promise: Promise, *, seed: int = 0
) -> tuple[Decision, ArmDifference | None]:
    """Whether the promised metric moves as promised beyond chance, and the finding goes.

    Confirmed: it moves beyond chance (both the interval and the test), and it gets beyond the promised level, or the
    finding is gone, in at least half of the seeds. Refuted: in so few seeds that a cure of half of them is ruled out,
    or the metric does not follow, or moves the other way beyond chance.
    """
    found = find_difference(configured, changed, promise, seed=seed)
    if found is None:
        logged = " or ".join(promise.metrics)
        return Decision(
            ExperimentVerdict.UNDECIDED, f"Both arms would have to record {logged}.", f"Log {logged}."
        ), None
    helped, of = _count_helped(changed, promise, found)
    told = _describe_difference(found, promise, helped, of)
    if found.beyond_chance and helped >= HALF * of:
        return Decision(ExperimentVerdict.CONFIRMED, told), found
    if found.beyond_chance:
        return Decision(
            ExperimentVerdict.UNDECIDED, told, "A stronger change of the same variable would decide."
        ), found
    hopeless = of > 0 and at_most(helped, of, HALF) <= CHANCE
    if hopeless or _is_unmoved(found, len(changed.whole)) or _is_reversed(configured, changed, promise, found):
        return Decision(ExperimentVerdict.REFUTED, told), found
    return Decision(ExperimentVerdict.UNDECIDED, told, _suggest_seeds(configured, changed, found)), found


def find_difference(
    configured: ExperimentArm, changed: ExperimentArm, promise: Promise, *, seed: int = 0
) -> ArmDifference | None:
    """The first promised metric that both arms have, compared; None where there is none with two seeds a side."""
    for metric in promise.metrics:
        before, after = configured.of(metric), changed.of(metric)
        if min(len(before), len(after)) >= 2:
            return _compare_arms(metric, before, after, promise, seed)
    return None


def _compare_arms(metric: str, before: Array, after: Array, promise: Promise, seed: int) -> ArmDifference:
    found = compare_means(after, before, confidence=0.95, seed=seed)
    up, down = higher_chance(after, before, seed=seed), higher_chance(before, after, seed=seed)
    chance = {RISES: up, FALLS: down}.get(promise.then, min(1.0, 2.0 * min(up, down)))
    way = {RISES: found.better, FALLS: found.worse}.get(promise.then, found.apart)
    return ArmDifference(
        metric=metric,
        then=promise.then,
        configured=float(mean(before)),
        changed=float(mean(after)),
        difference=found.difference,
        low=found.low,
        high=found.high,
        chance=chance,
        beyond_chance=way and chance <= CHANCE,
    )


def _count_helped(changed: ExperimentArm, promise: Promise, found: ArmDifference) -> tuple[int, int]:
    """In how many of the changed seeds the level is reached or the finding gone; and of how many.

    Where the metric need only react, nothing more is asked.
    """
    if promise.then == MOVES:
        return 0, 0
    level = promise.level if found.metric == promise.metrics[0] else None
    said = [_is_helped(one, found.metric, level, promise.then) for one in changed.whole]
    known = [one for one in said if one is not None]
    return sum(known), len(known)


def _is_helped(one: SeedResult, metric: str, level: float | None, then: str) -> bool | None:
    """Whether a seed is cured; None where nothing tells."""
    if level is not None and metric in one.values:
        reached = one.values[metric] < level if then == FALLS else one.values[metric] > level
        return reached or one.fired is False
    return None if one.fired is None else not one.fired


def _is_unmoved(found: ArmDifference, seeds: int) -> bool:
    """Whether the interval rules out that the metric moved by a noticeable part of itself."""
    reach = NOTICEABLE * abs(found.configured)
    return seeds >= FEWEST_TO_REFUTE and -reach <= found.low and found.high <= reach


def _is_reversed(configured: ExperimentArm, changed: ExperimentArm, promise: Promise, found: ArmDifference) -> bool:
    if promise.then == MOVES:
        return False
    turned = msgspec.structs.replace(promise, then=FALLS if promise.then == RISES else RISES)
    opposite = find_difference(configured, changed, turned)
    return opposite is not None and opposite.metric == found.metric and opposite.beyond_chance


def _describe_difference(found: ArmDifference, promise: Promise, helped: int, of: int) -> str:
    moved = (
        f"{found.metric} goes from {found.configured:.3g} to {found.changed:.3g} (difference {found.difference:.3g}, "
        f"{found.low:.3g} to {found.high:.3g}; by chance alone in {found.chance:.1%})"
    )
    if not of:
        return f"{moved}."
    beyond = promise.level is not None and found.metric == promise.metrics[0]
    side = "below" if promise.then == FALLS else "above"
    end = f"it is {side} {promise.level:g} or the finding gone" if beyond else "the finding is gone"
    return f"{moved}; {end} in {helped} of {of} seeds."


def _suggest_seeds(configured: ExperimentArm, changed: ExperimentArm, found: ArmDifference) -> str:
    before, after = configured.of(found.metric), changed.of(found.metric)
    needed = seeds_needed(found.difference, float(np.std(before, ddof=1)), float(np.std(after, ddof=1)))
    if needed is None or needed > MOST_SEEDS:
        return "More seeds would hardly decide: the difference is small against their scatter."
    return f"About {max(needed, 5, len(before) + 2)} seeds an arm would decide (--seeds), or longer runs (--steps)."


def _count_needed_seeds(seen: int, of: int) -> int:
    """The least number of seeds that would decide if the share stayed the same."""
    share = seen / of
    for count in range(of + 1, MOST_SEEDS):
        expected = round(share * count)
        back = expected >= HALF * count and at_least(expected, count, ACCIDENT) <= CHANCE
        if back or at_most(expected, count, HALF) <= CHANCE:
            return count
    return MOST_SEEDS


def _explain_unjudged(arm: ExperimentArm) -> str:
    failed = [one.failure for one in arm.tried if one.failure]
    if failed and not arm.whole:
        return f"No seed came to its end: {failed[0]}."
    why = next((one.told for one in arm.whole if one.told), "")
    return "The rule could not judge a single seed" + (f": {why}." if why else ".")
