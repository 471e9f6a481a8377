from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.rollout import Estimates, Rollout
from weaklink.base.finding import HIGH, LOW, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.reference.advantages import GAE_VARIANTS
from weaklink.base.reference.discounting import RETURN_VARIANTS, Array, discounted_returns
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.returns._agreement import Compared, compared, cure, reproducing
from weaklink.judge.rules.returns._one_step import judged_targets
from weaklink.judge.rules.returns._trajectory import Trajectory, trajectory

USUAL_LAMBDAS = (0.95, 0.9, 0.97, 0.98, 0.99, 0.8, 0.0)


@rule(
    "RET202",
    link=Link.RETURNS,
    level=Level.ERROR,
    on=Rollout,
    needs=(("estimates", "targets"),),
    leads_to=(
        "VAL202", "VAL301", "VAL302", "VAL303", "VAL304", "VAL305", "VAL306", "VAL307", "RET301", "RET302", "OPT301",
        "POL301", "POL302", "EXP301", "EXP303", "REW301", "REW302", "REW303", "REW304",
    ),
)  # fmt: skip
def return_mismatch(rollout: Rollout) -> Answer:
    """The critic is trained towards numbers that do not follow from the stored rewards.

    ## What it sees
    The targets of the critic are computed again: advantage plus value, or the discounted sum of rewards, or for a
    replayed batch the reward plus the discounted next value. Where none of these gives the numbers used, every known
    mistake is tried and the one that reproduces them is named, with one row to check by hand.

    ## Why it is bad
    A critic learns whatever it is given. With targets that ignore the end of an episode, or a discount of another size,
    it converges without complaint to values of another problem, and the policy follows them.

    ## What to do
    1. With advantages: returns are advantages plus values, before any normalisation.
    2. With replay: reward + gamma x (1 - terminated) x next value, where the target network judges the next
       observation.
    3. Check the function itself: `weaklink probe --kernels my_module.py` compares it with the right answer.

    ## How to prove it
    Compute the row given in the message by hand.

    ## When it is wrong
    Targets in units of their own are no mistake and are passed over; an estimator that is not known here is told as a
    suspicion only. Time limits taken for ends are harmless in tasks that rarely reach them.

    ## References
    Sutton and Barto, Reinforcement learning (2018), chapters 6 and 12; Pardo et al., Time limits in reinforcement
    learning (2018); Nikanjam et al., Faults in deep reinforcement learning programs (2022).
    """
    answers: list[Answer] = []
    if rollout.targets is not None:
        answers.append(judged_targets(rollout.targets))
    if rollout.estimates is not None and (rollout.estimates.returns is not None or not answers):
        answers.append(_of_estimates(rollout.estimates))
    findings = [each for each in answers if isinstance(each, Finding)]
    if findings:
        return findings[0] if len(findings) == 1 else tuple(findings)
    return None if None in answers else answers[0]


def _of_estimates(estimates: Estimates) -> Answer:
    if estimates.returns is None:
        return CannotTell(("returns",), "no returns were seen")
    steps = trajectory(estimates)
    if isinstance(steps, CannotTell):
        return _sum_of_parts(estimates, steps)
    used = steps.cut(estimates.returns)
    if used is None or not np.isfinite(used).all() or float(np.abs(used).max()) > 1e100:
        return CannotTell(("returns",), "they have another shape, or are not finite")
    lam = 1.0 if estimates.lam is None else float(estimates.lam)
    right = steps.advantages(lam) + steps.values
    beside = compared(used, right, steps.counted, steps.magnitude, steps.horizon(lam))
    advantages = None if estimates.advantages is None else steps.cut(estimates.advantages)
    if any(_agrees(beside, made) for made in _right_ones(steps, estimates, advantages)):
        return None
    names = _mistakes(steps, lam, beside, advantages)
    if names:
        told = f"equal, in all {int(steps.counted.sum()):,} rows, those of a known mistake ({' or '.join(names[:2])})"
        level = Level.WARN if names[0] == "truncation treated as termination" else Level.ERROR
        return _finding(told, steps, beside, right, HIGH, level, cure(names[:2]))
    if estimates.lam is None:
        return CannotTell(("lam",), "no usual lambda gives these returns")
    return _finding("follow from nothing that is known", steps, beside, right, LOW, Level.WARN, ())


def _sum_of_parts(estimates: Estimates, lacking: CannotTell) -> Answer:
    """Whether returns are advantages plus values, which needs no ends and no discount."""
    parts = (estimates.returns, estimates.advantages, estimates.values)
    if any(part is None for part in parts) or estimates.normalised:
        return lacking
    returns, advantages, values = (np.ravel(np.asarray(part, np.float64)) for part in parts)
    if len({returns.size, advantages.size, values.size}) > 1 or not returns.size:
        return lacking
    fine = np.isfinite(returns).all() and np.isfinite(advantages).all() and np.isfinite(values).all()
    if not fine or not bool(np.allclose(returns, advantages + values, rtol=1e-4, atol=1e-6)):
        return lacking
    return None


def _agrees(beside: Compared, expected: Array) -> bool:
    """The same, or the same in other units: returns are normalised on purpose, too."""
    line = None if beside.same(expected) else beside.straight(expected)
    return beside.same(expected) or (line is not None and line[0] > 0.0)


def _right_ones(steps: Trajectory, estimates: Estimates, advantages: Array | None) -> Iterator[Array]:
    """Everything that a critic is rightly trained towards."""
    if advantages is not None and not estimates.normalised and np.isfinite(advantages).all():
        yield advantages + steps.values
    lambdas = USUAL_LAMBDAS if estimates.lam is None else (float(estimates.lam),)
    for each in steps.readings():
        for lam in (*lambdas, 1.0):
            yield each.advantages(lam) + each.values
        yield _sums(each)


def _sums(steps: Trajectory) -> Array:
    rest = () if steps.final_values is None else (steps.final_values,)
    return discounted_returns(steps.rewards, steps.terminated, steps.truncated, steps.last_value, steps.gamma, *rest)


def _mistakes(steps: Trajectory, lam: float, beside: Compared, advantages: Array | None) -> list[str]:
    if advantages is not None and beside.same(advantages):
        return ["value target = advantage"]
    if beside.same(steps.values):
        return ["target is the old value"]

    def fits(made: Array) -> bool:
        return beside.same(np.where(np.isfinite(made), made, np.inf))

    inputs = (steps.rewards, steps.terminated, steps.truncated, steps.last_value, steps.gamma)
    names = reproducing(RETURN_VARIANTS, inputs, fits)
    shifted = "result shifted by one"
    return names or reproducing(
        GAE_VARIANTS, steps.inputs(lam), lambda made: fits(made + steps.values), but=(shifted, "value not subtracted")
    )


def _finding(
    told: str, steps: Trajectory, beside: Compared, right: Array, sure: float, level: Level, fix: tuple[str, ...]
) -> Finding:
    gaps = np.where(steps.counted, np.abs(beside.used - right), -1.0)
    place = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
    share = float(beside.off(right).sum()) / max(1, int(steps.counted.sum()))
    member = f", environment {int(place[1]) * (steps.columns.step or 1)}" if gaps.shape[1] > 1 else ""
    return Finding(
        message=f"The returns used {told}: at step {int(place[0]) + steps.rows.start}{member} (reward "
        f"{steps.rewards[place]:.4g}, value {steps.values[place]:.4g}) {beside.used[place]:.4g} was used and "
        f"{right[place]:.4g} follows with gamma {steps.gamma:g}.",
        level=level,
        confidence=sure,
        fix=fix,
        evidence=(
            Evidence(metric="return", value=float(beside.used[place]), limit=float(right[place])),
            Evidence(metric="rows off", value=share, limit=0.0),
        ),
    )
