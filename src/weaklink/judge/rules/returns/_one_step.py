"""One-step targets of a replayed batch compared with their recomputation."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Targets
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.reference.discounting import Array, Flags, Variants
from weaklink.base.reference.targets import TD_VARIANTS, td_target
from weaklink.judge.rules._words import tell_apart
from weaklink.judge.rules.returns._agreement import (
    FEWEST,
    ROUNDING,
    ROWS_OFF,
    TOO_LARGE,
    UNKNOWN,
    ComparedNumbers,
    compare,
    describe_mistakes,
    find_reproducing,
    list_cures,
    read_numbers,
)

# targets of up to so many steps are recognised: their discount is a power of gamma
LONGEST_STEPS = 20

# mistakes that are not tried with the others: one shows as a shape, the other only where there are time limits
BROADCAST, TRUNCATION = "broadcast (B, 1) against (B,)", "truncation treated as termination"

# rewards, next values, terminated, truncated, gamma: the arguments of `td_target`
Inputs = tuple[Array, Array, Flags, Flags, float]


def _subtract_following(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return gamma * (rewards - np.where(terminated, 0.0, following))


def _negate_rewards(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return -rewards + gamma * np.where(terminated, 0.0, following)


def _drop_following(rewards: Array, following: Array, terminated: Flags, truncated: Flags, gamma: float) -> Array:
    return rewards + 0.0


MORE_VARIANTS: Variants = {
    "gamma times reward less the next value": (_subtract_following,),
    "sign of the reward flipped": (_negate_rewards,),
    "next value left out": (_drop_following,),
}


def judge_targets(part: Targets) -> Answer:
    """The answer for a batch of targets."""
    given = _read_inputs(part)
    if isinstance(given, CannotTell):
        return given
    inputs, used = given
    magnitude = max(float(np.abs(each).max()) for each in (*inputs[:2], used))
    if magnitude > TOO_LARGE:
        return CannotTell(("targets",), "numbers are too large to compare")
    right, everywhere = td_target(*inputs), np.ones(len(used), bool)
    beside = compare(used, right, everywhere, max(magnitude, 1e-30))
    if not part.exact:
        beside = ComparedNumbers(used, everywhere, ROUNDING * max(magnitude, 1e-30))
    if beside.matches(right) or _looks_further(inputs, beside) or _is_right_too(part, inputs, beside):
        return None
    names = _find_mistakes(part, inputs, beside)
    if names:
        level = Level.WARN if names[0] == TRUNCATION else Level.ERROR
        words = describe_mistakes(names, len(used))
        return _describe(words, inputs, beside, right, HIGH, level, list_cures(names[:2]))
    if not part.exact:
        return CannotTell(("targets",), "the trainer's random draws cannot be repeated, and no known mistake fits")
    return _explain(part, inputs, beside, right)


def _read_inputs(part: Targets) -> tuple[Inputs, Array] | CannotTell:
    """The arguments of the recomputation and the targets used, or why they cannot be compared."""
    arrays = [read_numbers(each) for each in (part.rewards, part.next_values, part.targets, part.terminated)]
    known = [np.ravel(each) for each in arrays if each is not None]
    if len(known) < len(arrays):
        return CannotTell(("targets",), "they are not numbers")
    rewards, following, used = known[:3]
    terminated, cut = np.nan_to_num(known[3]) != 0.0, read_numbers(part.truncated)
    truncated = np.zeros_like(terminated) if cut is None else np.nan_to_num(cut.ravel()) != 0.0
    if len({each.size for each in (*known, truncated)}) > 1:
        return CannotTell(("targets",), "rewards, next values and targets have different sizes")
    if len(used) < FEWEST or not all(np.isfinite(each).all() for each in (rewards, following, used)):
        return CannotTell(("targets",), "there are too few rows, or numbers that are not finite")
    return (rewards, following, terminated, truncated & ~terminated, float(part.gamma)), used


def _explain(part: Targets, inputs: Inputs, beside: ComparedNumbers, right: Array) -> Answer:
    """Targets that no known mistake reproduces: another discount, the online network, other units, or unknown."""
    gamma = _fit_discount(inputs, beside.used)
    if gamma is not None and beside.matches(td_target(*inputs[:4], gamma)):
        words, fix = f"match gamma = {gamma:.4g} instead of {inputs[4]:g}", "Use one discount everywhere."
        return _describe(words, inputs, beside, right, HIGH, Level.ERROR, (fix,))
    online = _read_next_values(part.online_values, len(beside.used))
    if online is not None and beside.matches(td_target(inputs[0], online, *inputs[2:])):
        words, fix = "come from the online network instead of the target network", "Bootstrap with the target network."
        return _describe(words, inputs, beside, right, MEDIUM, Level.WARN, (fix,))
    line = beside.fit_line(right)
    if line is not None and line[0] > 0:
        return None  # normalised targets
    return _describe(UNKNOWN, inputs, beside, right, MEDIUM, Level.WARN, ())


def _looks_further(inputs: Inputs, beside: ComparedNumbers) -> bool:
    """Whether these are n-step targets, whose next value has a higher power of gamma."""
    powers = (inputs[4] ** steps for steps in range(3, LONGEST_STEPS + 1))
    return any(beside.matches(td_target(*inputs[:4], power)) for power in powers)


def _is_right_too(part: Targets, inputs: Inputs, beside: ComparedNumbers) -> bool:
    """Whether another next value that is also right gives these targets."""
    others = (_read_next_values(each, len(beside.used)) for each in part.also_right)
    return any(beside.matches(td_target(inputs[0], each, *inputs[2:])) for each in others if each is not None)


def _read_next_values(given: Array | float | None, rows: int) -> Array | None:
    values = read_numbers(given)
    return values.ravel() if values is not None and values.size == rows and np.isfinite(values).all() else None


def _find_mistakes(part: Targets, inputs: Inputs, beside: ComparedNumbers) -> list[str]:
    plain = {name: ways for name, ways in TD_VARIANTS.items() if name not in (BROADCAST, TRUNCATION)}
    names = find_reproducing(plain | MORE_VARIANTS, inputs, beside.matches)
    if not names and inputs[3].any():
        names = find_reproducing({TRUNCATION: TD_VARIANTS[TRUNCATION]}, inputs, beside.matches)
    others = {"bootstrap from s instead of s'": part.own_values, **part.mistaken}
    for name, given in others.items() if not names else ():
        values = _read_next_values(given, len(beside.used))
        if values is not None and beside.matches(td_target(inputs[0], values, *inputs[2:])):
            names.append(name)
    return names


def _fit_discount(inputs: Inputs, used: Array) -> float | None:
    """The gamma that fits the targets best, by least squares."""
    ahead = np.where(inputs[2], 0.0, inputs[1])
    square = float(np.sum(ahead**2))
    return float(np.sum(ahead * (used - inputs[0]))) / square if square > 0.0 else None


def _describe(
    words: str, inputs: Inputs, beside: ComparedNumbers, right: Array, sure: float, level: Level, fix: tuple[str, ...]
) -> Finding:
    rewards, following, terminated, _, gamma = inputs
    used = beside.used
    row = int(np.argmax(np.abs(used - right)))
    ended = "terminated" if terminated[row] else "not terminated"
    made, wanted = tell_apart(float(used[row]), float(right[row]))
    return Finding(
        message=f"The targets {words}: in row {row} (reward {rewards[row]:.4g}, next value {following[row]:.4g}, "
        f"{ended}) the trainer used {made}, but gamma {gamma:g} gives {wanted}.",
        level=level,
        confidence=sure,
        fix=fix,
        evidence=(
            Evidence(metric="target", value=float(used[row]), limit=float(right[row])),
            Evidence(metric=ROWS_OFF, value=float(beside.find_off(right).mean()), limit=0.0),
        ),
    )
