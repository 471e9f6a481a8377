from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.rollout import Estimates, Rollout
from weaklink.base.finding import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.reference.advantages import GAE_VARIANTS, gae, successor_values
from weaklink.base.reference.discounting import Array, Flags
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.returns._agreement import Compared, best_number, compared, cure, reproducing
from weaklink.judge.rules.returns._trajectory import Trajectory, trajectory

USUAL_LAMBDAS = (0.95, 1.0, 0.9, 0.97, 0.98, 0.99, 0.8, 0.0)
ON_PURPOSE_TOO = frozenset({"truncation treated as termination", "normalised over the wrong axis"})
"""Mistakes that some make knowingly, and whose harm depends on the task."""

ENOUGH_STEPS = 512
"""Mistakes are looked for in the last steps where these show one: there are many to try."""

SEEN_WHOLE = ("time not reversed", "normalised over the wrong axis")
"""Mistakes that depend on every step, so that the last ones alone do not show them."""

ANOTHER_EPISODE = "bootstrap from the next episode at a time limit"
OWN_LAST = "Continue a truncated step with the value of its own last observation, not with that of the row after it."


@rule(
    "RET201",
    link=Link.RETURNS,
    level=Level.ERROR,
    on=Rollout,
    needs=("estimates",),
    leads_to=(
        "RET202", "VAL301", "VAL304", "VAL305", "VAL306", "RET301", "RET302", "POL301", "POL302", "POL303", "EXP301",
        "EXP303", "REW301", "REW302", "REW303", "REW304",
    ),
)  # fmt: skip
def advantage_mismatch(rollout: Rollout) -> Answer:
    """The advantages used are not those that follow from the stored rewards, values and ends.

    ## What it sees
    Generalised advantage estimation is done again from what the rollout holds, in double precision, and compared with
    the advantages that the update uses, as they are or up to a scale and an offset where they are normalised. Where
    they differ, every known mistake is tried, then another discount and another lambda; what reproduces the numbers is
    named, and one step to check by hand is given.

    ## Why it is bad
    Advantages say which actions to repeat. With a mask one step off, the action that ended the episode is judged by
    the value of the next one. Such training often still learns a little, which hides the fault for months.

    ## What to do
    1. Compute step t from the flag that step t returned, the value of the observation after it, gamma and lambda.
    2. Go backwards in time and cut the running sum at every end; bootstrap wherever the episode did not terminate.
    3. Check the function itself: `weaklink probe --kernels my_module.py` compares it with the right answer.

    ## How to prove it
    Compute the step given in the message by hand: reward + gamma x next value - value, plus gamma x lambda x the
    advantage of the next step unless the episode ended.

    ## When it is wrong
    Another estimator on purpose (n-step, V-trace, a learned baseline) gives other numbers: then nothing known fits,
    and this is told as a suspicion only. Time limits taken for ends are harmless in tasks that rarely reach them.

    ## References
    Schulman et al., High-dimensional continuous control using generalised advantage estimation (2016), equations
    11-16; Pardo et al., Time limits in reinforcement learning (2018); RoboVerse issue #814; Stable-Baselines3
    issue #105.
    """
    estimates = rollout.estimates
    if estimates is None or estimates.advantages is None:
        return CannotTell(("advantages",), "no advantages were seen")
    steps = trajectory(estimates)
    if isinstance(steps, CannotTell):
        return steps
    used = steps.cut(estimates.advantages)
    if used is None or not np.isfinite(used).all() or float(np.abs(used).max()) > 1e100:
        return CannotTell(("advantages",), "they have another shape, or are not finite")
    if estimates.lam is None:
        return _without_lambda(steps, used, estimates)
    return _judged(steps, used, estimates, float(estimates.lam))


def _without_lambda(steps: Trajectory, used: Array, estimates: Estimates) -> Answer:
    fitting = (lam for lam in USUAL_LAMBDAS if _right(steps, used, estimates, lam))
    if next(fitting, None) is not None:
        return None

    def distance(lam: float) -> float:
        return float(np.sum((steps.advantages(lam) - used)[steps.counted] ** 2))

    if _right(steps, used, estimates, best_number(distance, 0.0, 1.0)):
        return None
    return CannotTell(("lam",), "no lambda between 0 and 1 gives these advantages")


def _allowance(steps: Trajectory, used: Array, lam: float) -> Compared:
    return compared(used, steps.advantages(lam), steps.counted, steps.magnitude, steps.horizon(lam))


def _right(steps: Trajectory, used: Array, estimates: Estimates, lam: float) -> bool:
    """Whether some right reading of the rollout gives these advantages."""
    beside = _allowance(steps, used, lam)
    readings = steps.readings()
    return any(_agrees(beside, each.advantages(lam), estimates) for each in readings) or any(
        _in_other_units(each, beside, lam) for each in readings
    )


def _agrees(beside: Compared, expected: Array, estimates: Estimates) -> bool:
    """The same, or the same once normalised over the batch, or centred."""
    if beside.same(expected):
        return True
    line = beside.straight(expected)
    if line is None or line[0] <= 0.0:
        return False
    whole = np.asarray(estimates.advantages, dtype=np.float64)
    unit = abs(float(whole.mean())) < 0.05 and abs(float(whole.std()) - 1.0) < 0.1
    return estimates.normalised or unit or abs(line[0] - 1.0) < 1e-3


def _in_other_units(steps: Trajectory, beside: Compared, lam: float) -> bool:
    """Whether rewards or values are kept in units of their own: then advantages are their parts, each with a weight."""
    nothing, one = np.zeros_like(steps.values), np.ones_like(steps.values)
    none, flags, rates = np.zeros_like(steps.last_value), (steps.terminated, steps.truncated), (steps.gamma, lam)
    parts = [
        gae(steps.rewards, nothing, *flags, none, *rates),
        gae(nothing, steps.values, *flags, steps.last_value, *rates, steps.final_values),
        gae(nothing, one, *flags, none + 1.0, *rates),
    ]
    rows = np.stack([part[steps.counted] for part in parts], axis=1)
    if len(rows) < 32 or np.linalg.matrix_rank(rows) < len(parts):
        return False
    weights, *_ = np.linalg.lstsq(rows, beside.used[steps.counted], rcond=None)
    if min(weights[:2]) <= 1e-6 or abs(weights[0] - weights[1]) < 1e-3 * weights[0]:
        return False
    return beside.same(np.tensordot(weights, np.stack(parts), axes=1))


def _judged(steps: Trajectory, used: Array, estimates: Estimates, lam: float) -> Answer:
    if _right(steps, used, estimates, lam):
        return None
    beside, right = _allowance(steps, used, lam), steps.advantages(lam)
    off = beside.off(right) if not estimates.normalised else steps.counted
    few = steps.tail(ENOUGH_STEPS)
    near = few if off[-len(few.rewards) :].any() else steps
    names = _mistakes(near, lam, _fitting(near, beside, estimates.normalised))
    if not names and near is not steps:
        whole = {name: GAE_VARIANTS[name] for name in SEEN_WHOLE}
        names = reproducing(whole, steps.inputs(lam), _fitting(steps, beside, estimates.normalised))
    if names:
        return _named(names, steps, used, right, off, lam)
    other = _other_rates(near, lam, _fitting(near, beside, estimates.normalised), beside, estimates.normalised)
    if other:
        return _finding(f"The advantages used are those with {other}", steps, used, right, off, lam, sure=HIGH)
    return _unknown(steps, beside, right, off, lam)


def _fitting(steps: Trajectory, beside: Compared, normalised: bool) -> Callable[[Array], bool]:
    """Whether other advantages are those used, as they are or, where normalised, in other units."""
    near = Compared(beside.used[-len(steps.rewards) :], steps.counted, beside.allowed)

    def fits(made: Array) -> bool:
        if not np.isfinite(made[steps.counted]).mean() > 0.9:
            return False
        if near.same(np.where(np.isfinite(made), made, near.used)):
            return True
        line = near.straight(made) if normalised else None
        return line is not None and line[0] > 0.0

    return fits


def _mistakes(steps: Trajectory, lam: float, fits: Callable[[Array], bool]) -> list[str]:
    """The mistakes that give the numbers used, made with or without the values of the last observations."""
    names = reproducing(GAE_VARIANTS, steps.inputs(lam), fits)
    if names or steps.final_values is None:
        return names
    without = replace(steps, final_values=None)
    if steps.truncated.any() and fits(without.advantages(lam)):
        return [ANOTHER_EPISODE]
    return reproducing(GAE_VARIANTS, without.inputs(lam), fits)


def _other_rates(
    steps: Trajectory, lam: float, fits: Callable[[Array], bool], beside: Compared, normalised: bool
) -> str:
    """Another discount or another lambda that gives the numbers used."""
    used = beside.used[-len(steps.rewards) :][steps.counted]

    def apart(made: Array) -> float:
        seen = made[steps.counted]
        if not normalised:
            return float(np.sum((seen - used) ** 2))
        return -float(np.mean((seen - seen.mean()) * (used - used.mean()))) / max(float(seen.std()), 1e-30)

    gamma = best_number(lambda each: apart(steps.advantages(lam, each)), 0.0, 1.0)
    if fits(steps.advantages(lam, gamma)):
        return f"gamma = {gamma:.4g} instead of {steps.gamma:g}"
    other = best_number(lambda each: apart(steps.advantages(each)), 0.0, 1.0)
    if fits(steps.advantages(other)):
        return f"lambda = {other:.4g} instead of {lam:g}"
    return ""


def _named(names: list[str], steps: Trajectory, used: Array, right: Array, off: Flags, lam: float) -> Finding:
    rows = int(steps.counted.sum())
    told = f"The advantages used equal, in all {rows:,} rows, those of a known mistake ({' or '.join(names[:2])})"
    level = Level.WARN if names[0] in ON_PURPOSE_TOO else Level.ERROR
    return _finding(
        told,
        steps,
        used,
        right,
        off,
        lam,
        sure=HIGH,
        level=level,
        fix=(OWN_LAST,) if names == [ANOTHER_EPISODE] else cure(names[:2]),
    )


def _unknown(steps: Trajectory, beside: Compared, right: Array, off: Flags, lam: float) -> Finding:
    """No known mistake: where they depart, told as an error only where that place is an end or the last step."""
    line = beside.straight(right)
    if line is not None:
        plus = f" {line[1]:+.4g}" if abs(line[1]) > beside.allowed else ""
        told = f"The advantages used are {line[0]:.4g} times those recomputed{plus}"
        level = Level.INFO if line[0] > 0 else Level.ERROR
        return _finding(told, steps, beside.used, right, off, lam, sure=MEDIUM, level=level)
    broken = _broken_steps(steps, beside, lam)
    last = np.zeros_like(broken)
    last[-1] = True
    if broken.any() and not np.any(broken & ~(steps.ended | last)):
        where = "where episodes end" if not np.any(broken & ~steps.ended) else "at ends and at the last step"
        where = "at the last step" if not np.any(broken & ~last) else where
        places = f"in {int(broken.sum()):,} places, in no way that is known"
        told = f"The recursion of the advantages used breaks only {where}, {places}"
        return _finding(told, steps, beside.used, right, broken, lam, sure=MEDIUM)
    told = "The advantages used are not those recomputed, in no way that is known (another estimator?)"
    return _finding(told, steps, beside.used, right, off, lam, sure=LOW, level=Level.WARN)


def _broken_steps(steps: Trajectory, beside: Compared, lam: float) -> Flags:
    """Where a step does not follow from the one after it, by the advantages used themselves."""
    following = successor_values(steps.values, steps.last_value, steps.ended, steps.final_values)
    errors = steps.rewards + steps.gamma * np.where(steps.terminated, 0.0, following) - steps.values
    ahead = np.concatenate([beside.used[1:], np.zeros_like(beside.used[:1])])
    local = errors + steps.gamma * lam * np.where(steps.ended, 0.0, ahead)
    return np.asarray((np.abs(beside.used - local) > beside.allowed) & steps.counted)


def _finding(
    told: str,
    steps: Trajectory,
    used: Array,
    right: Array,
    off: Flags,
    lam: float,
    *,
    sure: float,
    level: Level = Level.ERROR,
    fix: tuple[str, ...] = (),
) -> Finding:
    gaps = np.where(off, np.abs(used - right), -1.0)
    place = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
    step, member = int(place[0]), int(place[1])
    share = float(off.sum()) / max(1, int(steps.counted.sum()))
    following = successor_values(steps.values, steps.last_value, steps.ended, steps.final_values)
    ended = "terminated" if steps.terminated[place] else "truncated" if steps.truncated[place] else "going on"
    shown_member = f", environment {member * (steps.columns.step or 1)}" if used.shape[1] > 1 else ""
    hand = (
        f"at step {step + steps.rows.start}{shown_member} (reward {steps.rewards[place]:.4g}, value "
        f"{steps.values[place]:.4g}, next value {following[place]:.4g}, {ended}) {used[place]:.4g} was used and "
        f"{right[place]:.4g} follows with gamma {steps.gamma:g} and lambda {lam:g}"
    )
    return Finding(
        message=f"{told}: {hand}.",
        level=level,
        confidence=sure,
        fix=fix,
        evidence=(
            Evidence(metric="advantage", value=float(used[place]), limit=float(right[place])),
            Evidence(metric="rows off", value=share, limit=0.0),
        ),
    )
