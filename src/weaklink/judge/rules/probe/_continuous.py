"""Why continuous actions miss: their log-probability, the temperature, exploration, scaling, a sign.

A correct temperature falls while the entropy is above its target and rises while it is below. One that does the
opposite runs away; where it is right and the entropy does not follow, the policy is to blame.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import median

from weaklink.judge.rules.probe._actions import LEAST_SPREAD
from weaklink.judge.rules.probe._cause import NEAR, BrokenRung, Cause, Hypothesis, explain, known, typical
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Link

RUN_AWAY, SPENT = 3.0, 0.01
"""Temperatures, with rewards of size 1: above the first only entropy counts, below the second it hardly does."""

ABOVE = 0.7
"""Nats by which the entropy exceeds its target: the tolerance of the entropy-temperature rung."""

AT_BOUNDS = 0.8
"""The share of actions on or beyond the bounds; a policy that has learned one of five inner targets has hardly any."""

ITS_LOSS = "the sign of the temperature's loss, the target entropy, and the log-probability with its tanh correction"


def explain_continuous(broken: BrokenRung) -> Cause | None:
    """What the density, the distances and the entropy of continuous actions say."""
    return explain(broken, _CONTINUOUS)


def _has_wrong_density(broken: BrokenRung) -> bool:
    """Every failed trial has a density that does not integrate to 1."""
    return len(broken.missed("density")) >= len(broken.trials)


def _find_temperature(broken: BrokenRung) -> float | None:
    shown = [measure.measured for measure in broken.measured("temperature")]
    return median(shown) if shown else None


def _find_excessive_temperature(broken: BrokenRung) -> float | None:
    """Actions miss and are far too random, and the temperature makes entropy worth more than the reward."""
    temperature = _find_temperature(broken)
    if not broken.missed("distance") or temperature is None or temperature < RUN_AWAY:
        return None
    random = all(measure.measured > measure.right + ABOVE for measure in broken.measured("entropy"))
    return temperature if random else None


def _barely_varies(broken: BrokenRung) -> bool:
    """Actions in training lie within a fiftieth of their range."""
    spread = known(trial.behaviour.spread for trial in broken.trials)
    return bool(broken.missed("distance")) and bool(spread) and max(spread) < LEAST_SPREAD


def _misses_like(mistake: str) -> Callable[[BrokenRung], bool]:
    """A prediction: at every target the distance is the one that this mistake gives."""

    def predicts(broken: BrokenRung) -> bool:
        measures = typical(broken.measured("distance"))
        alike = all(abs(each.measured - each.mistakes.get(mistake, math.inf)) <= NEAR for each in measures)
        return bool(broken.missed("distance")) and alike

    return predicts


def _acts_at_bounds(broken: BrokenRung) -> bool:
    """Almost every action of every failed trial is on or beyond the bounds."""
    return bool(broken.missed("distance")) and min(trial.behaviour.beyond for trial in broken.trials) > AT_BOUNDS


def _find_share_above(broken: BrokenRung) -> float | None:
    """Of the entropies that miss their target the share above it; None where none misses."""
    off = broken.missed("entropy")
    return sum(measure.measured > measure.high for measure in off) / len(off) if off else None


def _find_spent_temperature(broken: BrokenRung) -> float | None:
    """Every entropy that misses is too high, although the temperature has fallen to nothing."""
    temperature = _find_temperature(broken)
    spent = temperature is not None and temperature <= SPENT and _find_share_above(broken) == 1.0
    return temperature if spent else None


def _find_useless_temperature(broken: BrokenRung) -> float | None:
    """Every entropy that misses is too low, although the temperature has run up."""
    temperature = _find_temperature(broken)
    useless = temperature is not None and temperature >= RUN_AWAY and _find_share_above(broken) == 0.0
    return temperature if useless else None


def _describe_entropy(broken: BrokenRung) -> str | None:
    """Some entropy misses its target: on which side, and with which temperature."""
    above, temperature = _find_share_above(broken), _find_temperature(broken)
    if above is None:
        return None
    side = f"{'above' if above > 0.5 else 'below'} its target"
    return side if temperature is None else f"{side}, with a temperature of {temperature:.2g}"


def _describe_one_sided_entropy(broken: BrokenRung) -> str | None:
    """All entropies miss their target on the same side."""
    return _describe_entropy(broken) if _find_share_above(broken) in (0.0, 1.0) else None


_SETTLES = "the entropy of its actions settles {}"
_CONTINUOUS: tuple[Hypothesis[BrokenRung], ...] = (
    Hypothesis(
        _has_wrong_density,
        Link.ACTION,
        "the log-probability does not belong to the actions that are sampled",
        "the change of variables of the squashing (log(1 - tanh(u)**2) subtracted, summed over dimensions), and "
        "whether the action is the one that was sampled and not a clipped or scaled one",
        HIGH,
    ),
    Hypothesis(
        _find_excessive_temperature,
        Link.EXPLORATION,
        "its temperature has grown to {:.3g}, so that entropy pays more than the reward",
        ITS_LOSS,
        HIGH,
    ),
    Hypothesis(
        _barely_varies,
        Link.EXPLORATION,
        "it hardly varies its actions during training",
        "whether actions are sampled while collecting, and with which standard deviation",
        HIGH,
    ),
    Hypothesis(
        _misses_like("not scaled"),
        Link.ACTION,
        "its actions stay within -1 and 1 whatever the bounds are",
        "where the actor's output is rescaled to the bounds of the action space",
        MEDIUM,
    ),
    Hypothesis(
        _misses_like("the middle"),
        Link.POLICY,
        "it takes the middle of the range whatever it observes",
        "the gradient of the actor's loss, and the log-probability in it",
        MEDIUM,
    ),
    Hypothesis(
        _misses_like("the opposite"),
        Link.POLICY,
        "it moves away from the target",
        "the sign of the actor's loss or of the advantage",
        MEDIUM,
    ),
    Hypothesis(
        _acts_at_bounds,
        Link.ACTION,
        "almost every action lies on or beyond the bounds",
        "the log-probability of actions that were clipped or squashed, the sign of the actor's loss, and the scale",
        MEDIUM,
    ),
    Hypothesis(
        _find_spent_temperature,
        Link.POLICY,
        "the entropy of its actions stays above its target though the temperature has fallen to {:.2g}: the policy "
        "does not become less random",
        "whether the actor's loss reaches the standard deviation, and what bounds it from below",
        MEDIUM,
    ),
    Hypothesis(
        _find_useless_temperature,
        Link.POLICY,
        "the entropy of its actions stays below its target though the temperature has grown to {:.3g}: the policy "
        "does not become more random",
        "the sign of the entropy in the actor's loss, and what bounds the standard deviation from above",
        MEDIUM,
    ),
    Hypothesis(_describe_one_sided_entropy, Link.EXPLORATION, _SETTLES, ITS_LOSS, MEDIUM),
    Hypothesis(_describe_entropy, Link.EXPLORATION, _SETTLES, ITS_LOSS, LOW),
)
