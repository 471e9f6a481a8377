"""One-step targets of a replayed batch beside their recomputation."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Targets
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.reference.discounting import Array, Flags, Variants
from weaklink.base.reference.targets import TD_VARIANTS, td_target
from weaklink.judge.rules.returns._agreement import ROUNDING, Compared, compared, cure, numbers, reproducing

FEWEST_ROWS = 8
LONGEST_STEPS = 20
"""Up to how many steps a target may look ahead: its discount is then a power of gamma."""

OTHERWISE = ("broadcast (B, 1) against (B,)", "truncation treated as termination")


def _opposite(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return gamma * (rewards - np.where(terminated, 0.0, following))


def _reward_sign(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return -rewards + gamma * np.where(terminated, 0.0, following)


def _nothing_ahead(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return rewards + 0.0


MORE_VARIANTS: Variants = {
    "gamma times reward less the next value": (_opposite,),
    "sign of the reward flipped": (_reward_sign,),
    "next value left out": (_nothing_ahead,),
}


def judged_targets(part: Targets) -> Answer:
    """The answer on a batch of targets."""
    arrays = [numbers(each) for each in (part.rewards, part.next_values, part.targets)]
    flags = [numbers(each) for each in (part.terminated, part.truncated)]
    if any(each is None for each in arrays) or flags[0] is None:
        return CannotTell(("targets",), "they are no numbers")
    rewards, following, used = (np.ravel(each) for each in arrays if each is not None)
    terminated = np.nan_to_num(flags[0].ravel()) != 0.0
    truncated = np.zeros_like(terminated) if flags[1] is None else np.nan_to_num(flags[1].ravel()) != 0.0
    if len({each.size for each in (rewards, following, used, terminated, truncated)}) > 1:
        return CannotTell(("targets",), "rewards, next values and targets have different sizes")
    if len(used) < FEWEST_ROWS or not all(np.isfinite(each).all() for each in (rewards, following, used)):
        return CannotTell(("targets",), "too few rows, or numbers that are not finite")
    magnitude = max(float(np.abs(each).max()) for each in (rewards, following, used))
    if magnitude > 1e100:
        return CannotTell(("targets",), "numbers are too large to compare")
    inputs = (rewards, following, terminated, truncated & ~terminated, float(part.gamma))
    return _judged(part, inputs, used, max(magnitude, 1e-30))


def _judged(part: Targets, inputs: tuple[Array, Array, Flags, Flags, float], used: Array, magnitude: float) -> Answer:
    right = td_target(*inputs)
    everywhere = np.ones(len(used), bool)
    beside = compared(used, right, everywhere, magnitude)
    if not part.exact:
        beside = Compared(used, everywhere, ROUNDING * magnitude)
    if beside.same(right) or _looks_further(inputs, beside) or _right_too(part, inputs, beside):
        return None
    names = _mistakes(part, inputs, beside)
    if names:
        told = f"equal, in all {len(used):,} rows, those of a known mistake ({' or '.join(names[:2])})"
        level = Level.WARN if names[0] == "truncation treated as termination" else Level.ERROR
        return _finding(told, inputs, used, right, beside, HIGH, level, cure(names[:2]))
    if not part.exact:
        return CannotTell(("targets",), "the trainer's own draws cannot be repeated, and no known mistake fits")
    gamma = _fitted_discount(inputs, used)
    if gamma is not None and beside.same(td_target(*inputs[:4], gamma)):
        told = f"are those with gamma = {gamma:.4g} instead of {inputs[4]:g}"
        return _finding(told, inputs, used, right, beside, HIGH, Level.ERROR, ("Use one discount everywhere.",))
    if _of_the_online_network(part, inputs, beside):
        told = "are made with the online network and not with the target network"
        return _finding(told, inputs, used, right, beside, MEDIUM, Level.WARN, ("Judge with the target network.",))
    if beside.straight(right) is not None and (beside.straight(right) or (0.0,))[0] > 0:
        return None  # in units of their own: normalised targets
    return _finding("differ in no way that is known", inputs, used, right, beside, MEDIUM, Level.WARN, ())


def _looks_further(inputs: tuple[Array, Array, Flags, Flags, float], beside: Compared) -> bool:
    """Whether the next value is some steps ahead: its discount is a higher power."""
    powers = (inputs[4] ** steps for steps in range(3, LONGEST_STEPS + 1))
    return any(beside.same(td_target(*inputs[:4], power)) for power in powers)


def _right_too(part: Targets, inputs: tuple[Array, Array, Flags, Flags, float], beside: Compared) -> bool:
    """Whether the next value is another one that is right."""
    others = (_next_values(each, len(beside.used)) for each in part.also_right)
    return any(beside.same(td_target(inputs[0], each, *inputs[2:])) for each in others if each is not None)


def _next_values(given: Array | float | None, rows: int) -> Array | None:
    values = numbers(given)
    return values.ravel() if values is not None and values.size == rows and np.isfinite(values).all() else None


def _mistakes(part: Targets, inputs: tuple[Array, Array, Flags, Flags, float], beside: Compared) -> list[str]:
    plain = {name: ways for name, ways in TD_VARIANTS.items() if name not in OTHERWISE}
    names = reproducing(plain | MORE_VARIANTS, inputs, beside.same)
    if not names and inputs[3].any():
        names = reproducing({OTHERWISE[1]: TD_VARIANTS[OTHERWISE[1]]}, inputs, beside.same)
    others = {"bootstrap from s instead of s'": part.own_values, **part.mistaken}
    for name, given in others.items() if not names else ():
        values = _next_values(given, len(beside.used))
        if values is not None and beside.same(td_target(inputs[0], values, *inputs[2:])):
            names.append(name)
    return names


def _of_the_online_network(part: Targets, inputs: tuple[Array, Array, Flags, Flags, float], beside: Compared) -> bool:
    online = _next_values(part.online_values, len(beside.used))
    return online is not None and beside.same(td_target(inputs[0], online, *inputs[2:]))


def _fitted_discount(inputs: tuple[Array, Array, Flags, Flags, float], used: Array) -> float | None:
    ahead = np.where(inputs[2], 0.0, inputs[1])
    square = float(np.sum(ahead**2))
    return float(np.sum(ahead * (used - inputs[0]))) / square if square > 0.0 else None


def _finding(
    told: str,
    inputs: tuple[Array, Array, Flags, Flags, float],
    used: Array,
    right: Array,
    beside: Compared,
    sure: float,
    level: Level,
    fix: tuple[str, ...],
) -> Finding:
    rewards, following, terminated, _, gamma = inputs
    row = int(np.argmax(np.abs(used - right)))
    share = float(beside.off(right).mean())
    ended = "terminated" if terminated[row] else "going on"
    return Finding(
        message=f"The targets used {told}: in row {row} (reward {rewards[row]:.4g}, next value {following[row]:.4g}, "
        f"{ended}) {used[row]:.4g} was used and {right[row]:.4g} follows with gamma {gamma:g}.",
        level=level,
        confidence=sure,
        fix=fix,
        evidence=(
            Evidence(metric="target", value=float(used[row]), limit=float(right[row])),
            Evidence(metric="rows off", value=share, limit=0.0),
        ),
    )
