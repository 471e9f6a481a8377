from __future__ import annotations

import numpy as np

from weaklink.base.evidence.performance import NOTICEABLE, course_of
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.finding import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import level, noise
from weaklink.judge.rules._registry import rule


@rule(
    "EVA303",
    link=Link.EVALUATION,
    level=Level.WARN,
    on=Run,
    needs=("evaluation.return", "reward.episode_return"),
    symptoms={"evaluation worse than training": 1},
    checks={"return and evaluation": "decides"},
)
def train_eval_gap(run: Run, *, share: float = 0.5, units: float = 10.0) -> Answer:
    """Evaluation and training tell two different stories.

    ## What it sees
    In the second half of the run the evaluation return lies away from the training return at the same steps, in nine
    points of ten on the same side, by more than half of the whole range of returns that the run has seen and by more
    than three times their noise. Evaluation that is worse is a warning; evaluation that is better, or in other units
    (ten times as large), is worth knowing.

    ## Why it is bad
    Both play the same policy. If only training looks good, the evaluation differs in something that matters: the
    normaliser's statistics are missing, the environment is wrapped or versioned differently, the policy acts greedily
    where it learnt to act at random, or it has learnt its training scenarios by heart.

    ## What to do
    1. Load the saved normaliser statistics into the evaluation environment, and freeze them there.
    2. Evaluate once deterministically and once by sampling, and compare the two.
    3. Compare the wrappers of both environments in their order: time limit, frame stack, reward clip, scaling.
    4. If all of that is equal, widen the training scenarios: the policy has overfitted them.

    ## How to prove it
    Play ten episodes in the training environment, with its wrappers and by sampling, without learning. If they give the
    training return, the protocol differs; if they give the evaluation return, training reports something else.

    ## When it is wrong
    Random exploration makes training worse than evaluation, as it should be. The training return is a mean of past
    episodes and lags behind. Few evaluation episodes scatter.

    ## References
    Stable-Baselines3 issues #1063 and #1556; IsaacLab issue #2635; Machado et al., 2018.
    """
    tested, trained = run["evaluation.return"], run["reward.episode_return"]
    if len(tested) < 10 or len(trained) < 10:
        short = tested if len(tested) < 10 else trained
        return CannotTell((short.name,), "fewer than 10 points")
    late = tested.steps >= (tested.first_step + tested.last_step) / 2
    late &= (tested.steps >= trained.first_step) & (tested.steps <= trained.last_step + trained.interval)
    if int(late.sum()) < 5:
        return CannotTell((tested.name,), "fewer than 5 evaluations in the second half")
    steps, after = tested.steps[late], tested.values[late]
    before = np.interp(steps, trained.steps, trained.values)
    gap = after - before
    off = level(gap)
    size = NOTICEABLE * max(abs(level(after)), abs(level(before)))
    limit = max(share * _range(tested, trained), 3 * (noise(after) + noise(trained.values)), size, 1e-9)
    same_side = float(np.mean(np.sign(gap) == np.sign(off)))
    if abs(off) < limit or same_side < 0.9 or float(np.mean(np.abs(gap) > 0.5 * limit)) < 0.8:
        return _parted(tested, trained)
    low, high = level(before), level(after)
    other_units = low * high > 0 and not 1 / units < high / low < units and not _once_agreed(tested, trained, units)
    told = "; so far apart, the two may be in different units" if other_units else ""
    return Finding(
        message=f"From step {steps[0]:,.0f} on evaluation returns {high:,.4g} where training returns {low:,.4g} "
        f"(limit of the gap {limit:,.3g}){told}.",
        level=Level.INFO if off > 0 or other_units else Level.WARN,
        onset=float(steps[0]),
        onset_within=tested.interval,
        confidence=LOW if off > 0 or other_units else MEDIUM,
        evidence=(
            Evidence(metric=tested.name, value=high, limit=low, step=float(steps[0])),
            Evidence(metric=trained.name, value=low, step=float(steps[0])),
        ),
    )


def _range(*curves: Series) -> float:
    """The whole range of returns seen, in training or in evaluation, whichever is wider."""
    return max(float(curve.highs.max() - curve.lows.min()) for curve in curves)


def _once_agreed(tested: Series, trained: Series, units: float) -> bool:
    """Whether evaluation and training were of one size in the first third: then they are in the same units."""
    early = tested.steps <= tested.first_step + (tested.last_step - tested.first_step) / 3
    before = np.interp(tested.steps[early], trained.steps, trained.values)
    low, high = level(before), level(tested.values[early])
    return low * high > 0 and 1 / units < high / low < units


def _parted(tested: Series, trained: Series) -> Finding | None:
    """Evaluation that falls off its own peak while training rises on."""
    test, train = course_of(tested), course_of(trained)
    if test is None or train is None or not (test.declined and train.improved):
        return None
    return Finding(
        message=f"{tested.name} falls from {test.best:,.4g} around step {test.best_step:,.0f} to {test.final:,.4g} "
        f"while {train.told}.",
        onset=test.best_step,
        onset_within=tested.interval,
        confidence=MEDIUM,
        evidence=(
            Evidence(metric=tested.name, value=test.final, limit=test.best, step=tested.last_step),
            Evidence(metric=trained.name, value=train.final, limit=train.start, step=trained.last_step),
        ),
    )
