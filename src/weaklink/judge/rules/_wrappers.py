"""What a wrapper does to rewards, ends, actions and observations, from what goes in against what comes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import TERMINATED, TRUNCATED, Flags, Survey
from weaklink.base.evidence.wrapping import WrapperLayer

CLOSE = 1e-6  # equal but for the rounding of float32, as a share of the largest reward

FEWEST = 50  # steps of a wrapper below which a pattern may be chance

TELLING = 20  # steps in which two patterns must differ for one of them to be seen

WIDE, NARROW = 0.8, 0.02  # of half of a range: nearly all of it is used, and hardly any of the other half

LONGEST_DELAY = 4  # steps by which a reward may come late and still be recognised

FEW_DROPPED = 5  # rewards that have to be lost before that is a pattern

REVERSED, UNSIGNED, LATE, REPEATED, LAST_ONLY, DROPPED = (
    "reversed", "unsigned", "late", "repeated", "last only", "dropped",
)  # fmt: skip


class RewardChange(NamedTuple):
    """What one wrapper does to rewards: the kind, in words, and in how many of its steps it shows."""

    layer: WrapperLayer
    kind: str
    words: str
    steps: int


def find_reward_changes(survey: Survey) -> Iterator[RewardChange]:
    """Each wrapper that reverses, delays, repeats or drops rewards; scaling and adding are not among these."""
    for layer in survey.layers:
        rewards = np.concatenate([layer.paid_in, layer.paid_out])
        if layer.steps < FEWEST or not bool(np.all(np.abs(rewards) < np.inf)) or not np.any(layer.paid_in):
            continue
        if bool(np.all(_mark_equal(layer.paid_out, layer.paid_in, layer))):
            continue
        found = next(filter(None, (look(layer) for look in _CHANGES)), None)
        if found is not None:
            yield found


def _mark_equal(first: Array, second: Array, layer: WrapperLayer) -> Flags:
    size = max(float(np.abs(layer.paid_in).max()), float(np.abs(layer.paid_out).max()))
    return np.asarray(np.abs(first - second) <= CLOSE * size)


def _find_reversed(layer: WrapperLayer) -> RewardChange | None:
    slope = float(layer.paid_in @ layer.paid_out) / float(layer.paid_in @ layer.paid_in)
    if slope >= 0.0 or not bool(np.all(_mark_equal(layer.paid_out, slope * layer.paid_in, layer))):
        return None
    count = int(np.count_nonzero(layer.paid_in))
    times = "" if abs(slope + 1.0) < CLOSE else f" and multiplies it by {-slope:.3g}"
    return RewardChange(layer, REVERSED, f"reverses the sign of every reward{times}", count)


def _find_unsigned(layer: WrapperLayer) -> RewardChange | None:
    below = layer.paid_in < 0.0
    if not bool(np.all(_mark_equal(layer.paid_out, np.abs(layer.paid_in), layer))):
        return None
    return RewardChange(layer, UNSIGNED, "drops the sign of rewards, so that penalties pay", int(below.sum()))


def _find_late(layer: WrapperLayer) -> RewardChange | None:
    for delay in range(1, LONGEST_DELAY + 1):
        later = layer.times >= delay
        before = np.roll(layer.paid_in, delay)
        telling = later & ~_mark_equal(before, layer.paid_in, layer)
        if int(telling.sum()) >= TELLING and bool(np.all(_mark_equal(layer.paid_out, before, layer)[later])):
            steps, lost = ("one step", "the last one") if delay == 1 else (f"{delay} steps", f"the last {delay}")
            words = f"pays every reward {steps} late, so that an episode ends without {lost}"
            return RewardChange(layer, LATE, words, int(telling.sum()))
    return None


def _find_repeated(layer: WrapperLayer) -> RewardChange | None:
    """Rewards that are the running sum of what was paid inside, of the episode or since the wrapper was made."""
    total = np.cumsum(layer.paid_in)
    starts = np.flatnonzero(layer.times == 0)
    before = np.repeat(total[starts] - layer.paid_in[starts], np.diff(np.append(starts, layer.steps)))
    telling = int(np.count_nonzero(~_mark_equal(layer.paid_out, layer.paid_in, layer)))
    steady = np.ptp(layer.paid_out - total) <= CLOSE * float(np.abs(layer.paid_out).max())
    if telling < TELLING or not (steady or bool(np.all(_mark_equal(layer.paid_out, total - before, layer)))):
        return None
    return RewardChange(
        layer, REPEATED, "pays the running sum of rewards, so that each is paid again and again", telling
    )


def _find_last_only(layer: WrapperLayer) -> RewardChange | None:
    differs = ~_mark_equal(layer.paid_last, layer.paid_in, layer)
    if int(differs.sum()) < TELLING or not bool(np.all(_mark_equal(layer.paid_out, layer.paid_last, layer))):
        return None
    words = "makes several steps of one and pays only what the last of them does"
    return RewardChange(layer, LAST_ONLY, words, int(differs.sum()))


def _find_dropped(layer: WrapperLayer) -> RewardChange | None:
    """Rewards that are handed on as they are, but for some that are not paid at all."""
    lost = (layer.paid_out == 0.0) & ~_mark_equal(layer.paid_in, np.zeros(layer.steps), layer)
    handed = _mark_equal(layer.paid_out, layer.paid_in, layer) & (layer.paid_in != 0.0)
    rest = _mark_equal(layer.paid_out, layer.paid_in, layer) | lost
    if int(lost.sum()) < FEW_DROPPED or not handed.any() or not bool(np.all(rest)):
        return None
    share = float(lost.sum()) / float(np.count_nonzero(layer.paid_in))
    return RewardChange(layer, DROPPED, f"drops {share:.0%} of the rewards", int(lost.sum()))


_CHANGES: tuple[Callable[[WrapperLayer], RewardChange | None], ...] = (
    _find_reversed, _find_unsigned, _find_last_only, _find_late, _find_repeated, _find_dropped,
)  # fmt: skip


class EndChange(NamedTuple):
    """What one wrapper does to the ends of episodes: in words, how many, and of how many."""

    layer: WrapperLayer
    words: str
    changed: int
    of: int


_ENDS = {TERMINATED: "terminated", TRUNCATED: "truncated"}


def find_end_changes(survey: Survey, fewest: int = 2) -> Iterator[EndChange]:
    """Each wrapper that keeps ends to itself, or that turns terminated into truncated or the other way round."""
    for layer in survey.layers:
        for end, name in _ENDS.items():
            inside = layer.ended_in == end
            of = int(inside.sum())
            other = TRUNCATED if end == TERMINATED else TERMINATED
            kept = int(np.count_nonzero(inside & (layer.ended_out == 0)))
            turned = int(np.count_nonzero(inside & (layer.ended_out == other)))
            if kept >= fewest:
                yield EndChange(layer, f"keeps `{name}` to itself", kept, of)
            elif turned >= fewest:
                yield EndChange(
                    layer, f"returns `{_ENDS[other]}` where the environment inside says `{name}`", turned, of
                )


class ActionChange(NamedTuple):
    """A wrapper that passes on other actions than it was given, and the share of its steps in which it does."""

    layer: WrapperLayer
    share: float


def find_replaced_actions(survey: Survey) -> Iterator[ActionChange]:
    """Each wrapper whose outgoing action is no function of the one that came in, by how much of it is not.

    A choice: the share of steps in which another action comes out than usually does for this one, where 1 is what
    actions drawn without looking give. A number: the share of the variance that a straight line leaves unexplained, in
    the dimension where it is largest.
    """
    for layer in survey.layers:
        given, passed = layer.actions_in, layer.actions_out
        if len(given) < FEWEST or not given.size or np.array_equal(given, passed):
            continue
        whole = bool(np.all(given == np.round(given)) and np.all(passed == np.round(passed)))
        yield ActionChange(layer, _measure_unusual(given, passed) if whole else _measure_unexplained(given, passed))


def _measure_unusual(given: Array, passed: Array) -> float:
    pairs = Counter((row.tobytes(), out.tobytes()) for row, out in zip(given, passed, strict=True))
    usual = {row: max(count for (one, _), count in pairs.items() if one == row) for row, _ in pairs}
    outs = Counter(out.tobytes() for out in passed)
    by_chance = len(given) - max(outs.values())
    return (len(given) - sum(usual.values())) / by_chance if by_chance else 0.0


def _measure_unexplained(given: Array, passed: Array) -> float:
    left = []
    for one, other in zip(given.T, passed.T, strict=True):
        spread = float(one.std() * other.std())
        together = float(np.mean((one - one.mean()) * (other - other.mean()))) / spread if spread > 0.0 else 0.0
        left.append(1.0 - together**2)
    return max(left)


def find_half_passed(survey: Survey) -> tuple[WrapperLayer, str] | None:
    """A wrapper that passes on only the lower or only the upper half of what the layer inside takes, and that half."""
    for layer in survey.layers:
        passed, bounds = layer.actions_out, layer.bounds
        if layer.steps < FEWEST or passed.ndim != 2 or bounds.shape != (2, passed.shape[1]) or not passed.shape[1]:
            continue
        middle, half = bounds.mean(axis=0), np.ptp(bounds, axis=0) / 2
        if not np.isfinite(half).all() or not np.isfinite(passed).all():
            continue
        spread = bool(np.all(np.ptp(passed, axis=0) > WIDE * half))
        for name, side in (("upper", 1.0), ("lower", -1.0)):
            if spread and bool(np.all(side * (passed - middle) > -NARROW * half)):
                return layer, name
    return None


def list_stale_layers(survey: Survey, share: float = 0.9) -> list[WrapperLayer]:
    """The wrappers that hand out the observation of the step before, in nearly all steps in which it moved."""
    return [one for one in survey.layers if one.moved >= FEWEST and one.stale >= share * one.moved]
