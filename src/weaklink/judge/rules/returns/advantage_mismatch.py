from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.recovered import RecoveredUpdate
from weaklink.base.evidence.rollout import Estimates, Rollout
from weaklink.base.reference.advantages import GAE_VARIANTS, gae, successor_values
from weaklink.base.reference.discounting import Array, Flags
from weaklink.judge.rules._words import tell_apart
from weaklink.judge.rules.returns._agreement import (
    ROWS_OFF,
    TOO_LARGE,
    ComparedNumbers,
    compare,
    describe_mistakes,
    find_reproducing,
    list_cures,
    minimise,
)
from weaklink.judge.rules.returns._trajectory import Trajectory, read_trajectory
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# tried where lambda is not known: the defaults and tuned values of common libraries
USUAL_LAMBDAS = (0.95, 1.0, 0.9, 0.97, 0.98, 0.99, 0.8, 0.0)

# mistakes that are sometimes made on purpose, and whose harm depends on the task
ON_PURPOSE_TOO = frozenset({"truncation treated as termination", "normalised over the wrong axis"})

# mistakes are searched for in so many last steps where these show a difference, because there are many to try
ENOUGH_STEPS = 512

# mistakes that depend on every step, so the last steps alone do not show them
SEEN_WHOLE = ("time not reversed", "normalised over the wrong axis")

ANOTHER_EPISODE = "bootstrap from the next episode at a time limit"
OWN_LAST = "Bootstrap a truncated step from the value of its own final observation, not from that of the next row."

# rows needed to fit a weight to each part of an advantage
FEWEST_IN_UNITS = 32

# another estimator differs nearly everywhere: of so few rows, here and there, one may have been taken for another
FEW_OFF = 0.01


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
    """The advantages do not follow from the stored rewards, values and done flags.

    ## What it sees
    Generalised advantage estimation is recomputed from the rollout in double precision and compared with the advantages
    that the update uses, up to a scale and an offset where they are normalised. Where they differ, every known mistake
    is tried, then another gamma and another lambda. The one that reproduces the numbers is named, with one step to
    check by hand.

    ## Why it is bad
    Advantages decide which actions are reinforced. With a done mask shifted by one, the action that ended an episode is
    credited with the value of the next episode. Such training often still learns a little, which hides the bug for
    months.

    ## What to do
    1. Compute step t from the done flag that step t returned, the value of the next observation, gamma and lambda.
    2. Go backwards in time and cut the running sum at every episode end; bootstrap unless the episode terminated.
    3. Check the function itself: `weaklink probe --kernels my_module.py` compares it with the right answer.

    ## How to prove it
    Compute the step given in the message by hand: reward + gamma x next value - value, plus gamma x lambda x the
    advantage of the next step unless the episode ended.

    ## When it is wrong
    Another estimator (n-step, V-trace, a learned baseline) gives other numbers: then no known mistake fits, and the
    finding is a warning of low confidence. Time limits treated as terminations are harmless in tasks that rarely reach
    them.

    ## References
    Schulman et al., High-dimensional continuous control using generalised advantage estimation (2016), equations
    11-16; Pardo et al., Time limits in reinforcement learning (2018); RoboVerse issue #814; Stable-Baselines3
    issue #105.
    """
    estimates = rollout.estimates
    if estimates is None or estimates.advantages is None:
        return CannotTell(("advantages",), "no advantages were recorded")
    steps = read_trajectory(estimates)
    if isinstance(steps, CannotTell):
        return steps
    used = steps.cut(estimates.advantages)
    if used is None or not np.isfinite(used).all() or float(np.abs(used).max()) > TOO_LARGE:
        return CannotTell(("advantages",), "they have another shape, or are not finite")
    if estimates.lam is None:
        return _judge_without_lambda(steps, used, estimates)
    return _judge(steps, used, estimates, float(estimates.lam), rollout.recovered)


def _judge_without_lambda(steps: Trajectory, used: Array, estimates: Estimates) -> Answer:
    if any(_is_right(steps, used, estimates, lam) for lam in USUAL_LAMBDAS):
        return None

    def distance(lam: float) -> float:
        return float(np.sum((steps.advantages(lam) - used)[steps.counted] ** 2))

    if _is_right(steps, used, estimates, minimise(distance, 0.0, 1.0)):
        return None
    return CannotTell(("lam",), "no lambda between 0 and 1 gives these advantages")


def _compare_advantages(steps: Trajectory, used: Array, lam: float) -> ComparedNumbers:
    return compare(used, steps.advantages(lam), steps.counted, steps.magnitude, steps.horizon(lam))


def _is_right(steps: Trajectory, used: Array, estimates: Estimates, lam: float) -> bool:
    """Whether the advantages are right for some reading of the rollout."""
    beside = _compare_advantages(steps, used, lam)
    readings = steps.list_readings()
    return any(_agrees(beside, each.advantages(lam), estimates) for each in readings) or any(
        _are_in_other_units(each, beside, lam) for each in readings
    )


def _agrees(beside: ComparedNumbers, expected: Array, estimates: Estimates) -> bool:
    """Whether advantages are as expected, or were normalised over the batch, or centred."""
    if beside.matches(expected):
        return True
    line = beside.fit_line(expected)
    if line is None or line[0] <= 0.0:
        return False
    whole = np.asarray(estimates.advantages, dtype=np.float64)
    unit = abs(float(whole.mean())) < 0.05 and abs(float(whole.std()) - 1.0) < 0.1  # normalised over other batches
    return estimates.normalised or unit or abs(line[0] - 1.0) < 1e-3


def _are_in_other_units(steps: Trajectory, beside: ComparedNumbers, lam: float) -> bool:
    """Whether rewards or values were normalised: then advantages are a weighted sum of both parts and a constant."""
    nothing, one = np.zeros_like(steps.values), np.ones_like(steps.values)
    none, flags, rates = np.zeros_like(steps.last_value), (steps.terminated, steps.truncated), (steps.gamma, lam)
    parts = [
        gae(steps.rewards, nothing, *flags, none, *rates),
        gae(nothing, steps.values, *flags, steps.last_value, *rates, steps.final_values),
        gae(nothing, one, *flags, none + 1.0, *rates),
    ]
    rows = np.stack([part[steps.counted] for part in parts], axis=1)
    if len(rows) < FEWEST_IN_UNITS or np.linalg.matrix_rank(rows) < len(parts):
        return False
    weights, *_ = np.linalg.lstsq(rows, beside.used[steps.counted], rcond=None)
    if min(weights[:2]) <= 1e-6 or abs(weights[0] - weights[1]) < 1e-3 * weights[0]:
        return False
    return beside.matches(np.tensordot(weights, np.stack(parts), axes=1))


def _judge(steps: Trajectory, used: Array, estimates: Estimates, lam: float, read: RecoveredUpdate | None) -> Answer:
    if _is_right(steps, used, estimates, lam):
        return None
    beside, right = _compare_advantages(steps, used, lam), steps.advantages(lam)
    off = beside.find_off(right) if not estimates.normalised else steps.counted
    few = steps.tail(ENOUGH_STEPS)
    near = few if off[-len(few.rewards) :].any() else steps
    names = _find_mistakes(near, lam, _make_fit(near, beside, estimates.normalised))
    if not names and near is not steps:
        whole = {name: GAE_VARIANTS[name] for name in SEEN_WHOLE}
        names = find_reproducing(whole, steps.inputs(lam), _make_fit(steps, beside, estimates.normalised))
    if names:
        return _describe_mistakes(names, steps, used, right, off, lam)
    fits = _make_fit(near, beside, estimates.normalised)
    other = _find_other_rates(near, lam, fits, beside, estimates.normalised) or _find_read_rates(near, lam, fits, read)
    if other:
        return _describe(f"The advantages match {other}", steps, used, right, off, lam, sure=HIGH)
    return _describe_unknown(steps, beside, right, off, lam)


def _make_fit(steps: Trajectory, beside: ComparedNumbers, normalised: bool) -> Callable[[Array], bool]:
    """The test whether other advantages equal those used, up to a scale and an offset where these are normalised."""
    near = ComparedNumbers(beside.used[-len(steps.rewards) :], steps.counted, beside.allowed)

    def fits(made: Array) -> bool:
        if not np.isfinite(made[steps.counted]).mean() > 0.9:
            return False
        if near.matches(np.where(np.isfinite(made), made, near.used)):
            return True
        line = near.fit_line(made) if normalised else None
        return line is not None and line[0] > 0.0

    return fits


def _find_mistakes(steps: Trajectory, lam: float, fits: Callable[[Array], bool]) -> list[str]:
    """The mistakes that reproduce the advantages, with or without the values of the final observations."""
    names = find_reproducing(GAE_VARIANTS, steps.inputs(lam), fits)
    if names or steps.final_values is None:
        return names
    without = replace(steps, final_values=None)
    if steps.truncated.any() and fits(without.advantages(lam)):
        return [ANOTHER_EPISODE]
    return find_reproducing(GAE_VARIANTS, without.inputs(lam), fits)


def _find_other_rates(
    steps: Trajectory, lam: float, fits: Callable[[Array], bool], beside: ComparedNumbers, normalised: bool
) -> str:
    """Another gamma or another lambda that reproduces the advantages; empty where none does."""
    used = beside.used[-len(steps.rewards) :][steps.counted]

    def apart(made: Array) -> float:
        seen = made[steps.counted]
        if not normalised:
            return float(np.sum((seen - used) ** 2))
        return -float(np.mean((seen - seen.mean()) * (used - used.mean()))) / max(float(seen.std()), 1e-30)

    gamma = minimise(lambda each: apart(steps.advantages(lam, each)), 0.0, 1.0)
    if fits(steps.advantages(lam, gamma)):
        return f"gamma = {gamma:.4g} instead of {steps.gamma:g}"
    other = minimise(lambda each: apart(steps.advantages(each)), 0.0, 1.0)
    if fits(steps.advantages(other)):
        return f"lambda = {other:.4g} instead of {lam:g}"
    return ""


def _find_read_rates(steps: Trajectory, lam: float, fits: Callable[[Array], bool], read: RecoveredUpdate | None) -> str:
    """Both rates as the critic's targets show them, where these reproduce the advantages; empty where they do not."""
    for critic in () if read is None else read.values:
        if critic.gamma is not None and critic.lam is not None and fits(steps.advantages(critic.lam, critic.gamma)):
            rates = f"gamma = {critic.gamma:.4g} with lambda = {critic.lam:.4g}"
            return f"{rates} instead of {steps.gamma:g} with {lam:g}"
    return ""


def _describe_mistakes(
    names: list[str], steps: Trajectory, used: Array, right: Array, off: Flags, lam: float
) -> Finding:
    words = f"The advantages {describe_mistakes(names, int(steps.counted.sum()))}"
    level = Level.WARN if names[0] in ON_PURPOSE_TOO else Level.ERROR
    fix = (OWN_LAST,) if names == [ANOTHER_EPISODE] else list_cures(names[:2])
    return _describe(words, steps, used, right, off, lam, sure=HIGH, level=level, fix=fix)


def _describe_unknown(steps: Trajectory, beside: ComparedNumbers, right: Array, off: Flags, lam: float) -> Answer:
    """No known mistake fits: an error only where the recursion breaks at episode ends or the last step alone."""
    line = beside.fit_line(right)
    if line is not None:
        plus = f" {line[1]:+.4g}" if abs(line[1]) > beside.allowed else ""
        words = f"The advantages are {line[0]:.4g} times the recomputed ones{plus}"
        level = Level.INFO if line[0] > 0 else Level.ERROR
        return _describe(words, steps, beside.used, right, off, lam, sure=MEDIUM, level=level)
    broken = _find_broken_steps(steps, beside, lam)
    last = np.zeros_like(broken)
    last[-1] = True
    if broken.any() and not np.any(broken & ~(steps.ended | last)):
        where = "at episode ends" if not np.any(broken & ~steps.ended) else "at episode ends and at the last step"
        where = "at the last step" if not np.any(broken & ~last) else where
        places = f"in {int(broken.sum()):,} places, and matches no known mistake"
        words = f"The advantage recursion breaks only {where}, {places}"
        return _describe(words, steps, beside.used, right, broken, lam, sure=MEDIUM)
    if off.sum() < FEW_OFF * steps.counted.sum():
        return CannotTell(("advantages",), "hardly any row differs, and nothing is common to those that do")
    words = "The advantages match neither the recomputation nor any known mistake (another estimator?)"
    return _describe(words, steps, beside.used, right, off, lam, sure=LOW, level=Level.WARN)


def _find_broken_steps(steps: Trajectory, beside: ComparedNumbers, lam: float) -> Flags:
    """Where the advantage of a step does not follow from that of the next step."""
    following = successor_values(steps.values, steps.last_value, steps.ended, steps.final_values)
    errors = steps.rewards + steps.gamma * np.where(steps.terminated, 0.0, following) - steps.values
    ahead = np.concatenate([beside.used[1:], np.zeros_like(beside.used[:1])])
    local = errors + steps.gamma * lam * np.where(steps.ended, 0.0, ahead)
    return np.asarray((np.abs(beside.used - local) > beside.allowed) & steps.counted)


def _describe(
    words: str,
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
    share = float(off.sum()) / max(1, int(steps.counted.sum()))
    following = successor_values(steps.values, steps.last_value, steps.ended, steps.final_values)
    ended = "terminated" if steps.terminated[place] else "truncated" if steps.truncated[place] else "not done"
    made, wanted = tell_apart(float(used[place]), float(right[place]))
    return Finding(
        message=f"{words}: at {steps.name_place(place)} (reward {steps.rewards[place]:.4g}, value "
        f"{steps.values[place]:.4g}, next value {following[place]:.4g}, {ended}) the trainer used {made}, "
        f"but gamma {steps.gamma:g} with lambda {lam:g} gives {wanted}.",
        level=level,
        confidence=sure,
        fix=fix,
        evidence=(
            Evidence(metric="advantage", value=float(used[place]), limit=float(right[place])),
            Evidence(metric=ROWS_OFF, value=share, limit=0.0),
        ),
    )
