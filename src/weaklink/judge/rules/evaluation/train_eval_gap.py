from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.performance import NOTICEABLE, measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import level, noise, trend
from weaklink.judge.rules._course import find_still_above
from weaklink.judge.rules.writing import LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

LATE, LAST = 5, 5  # evaluations of a late gap, and the part of the run that it lasts: a fifth
MOST, OVERHANG = 0.9, 1.5  # of the training returns; intervals between evaluations after the last training return
STEADY = 1.5  # a factor between two units does not change by more than this, lag and noise included
FEWEST = 8  # points below which neither noise nor trend of a return can be estimated
SCARCE, SCARCE_LATE = 4, 3  # evaluations that tell where all of the second half lie far off
LARGE_PART, OF_REST = 0.5, 0.2  # of what training won: after the best evaluation, and by which it then is ahead
MIRRORED = 0.2  # of the return: what evaluation and training with the opposite sign may differ by
FLAT, AS_FAR = 10, 4.0  # evaluations without a trend, and times their range that training rose meanwhile
STUCK, OF_GAIN = 5, 0.25  # evaluations that are all one number, and the share of its gain that training is above it


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
    """Evaluation and training returns disagree.

    ## What it sees
    In the second half of the run the evaluation return differs from the training return at the same steps, in nine
    points of ten on the same side, by more than half of the whole range of returns in the run and by more than three
    times their noise. A gap that opens late counts where it lasts over the last fifth, and a smaller one where the best
    evaluation is an early one, ahead of training, which then won most of its return while evaluation fell behind.
    Evaluation that is one and the same number, well below a training return that improved, is stuck; where there are
    few evaluations, each of the second half must lie below training by half of what training won, and none above the
    earlier ones. Evaluation that is one number from the first on, further above all training returns than these rose
    in all, is not that of the policy; nor is one without a trend, whose later ones are all below a training that rose
    four times as far as all evaluations lie apart. Where both lie on opposite sides of 0 from the first on, and late
    ones equally far from it, the reward of the training is blamed. Worse evaluation is a warning; better evaluation, or
    evaluation in other units (over ten times apart by one steady factor), is info.

    ## Why it is bad
    Both play the same policy. If only training looks good, the evaluation differs in something that matters: the
    normaliser's statistics are missing, the environment has other wrappers or another version, the policy acts greedily
    where it was trained to sample, or it has memorised its training scenarios.

    ## What to do
    1. Load the saved normaliser statistics into the evaluation environment, and freeze them there.
    2. Evaluate once deterministically and once by sampling, and compare the two.
    3. Compare the wrappers of both environments in their order: time limit, frame stack, reward clip, scaling.
    4. If all of that is equal, widen the training scenarios: the policy has overfitted them.

    ## How to prove it
    Play ten episodes in the training environment, with its wrappers and by sampling, without learning. If they give the
    training return, the protocol differs; if they give the evaluation return, training reports something else.

    ## When it is wrong
    Exploration noise makes training worse than evaluation, as it should. The training return is a mean of past episodes
    and lags behind. Few evaluation episodes give noisy returns.

    ## References
    Stable-Baselines3 issues #1063 and #1556; IsaacLab issue #2635; Machado et al., 2018.
    """
    tested, trained = run["evaluation.return"], run["reward.episode_return"]
    behind = _find_stuck(tested, trained) or _find_far_behind(tested, trained, share) or _find_unmoved(tested, trained)
    if behind is not None:
        return behind
    short = next((series for series in (tested, trained) if len(series) < FEWEST), None)
    if short is not None:
        return CannotTell((short.name,), f"fewer than {FEWEST} points")
    late = tested.steps >= (tested.first_step + tested.last_step) / 2
    late &= (tested.steps >= trained.first_step) & (tested.steps <= trained.last_step + trained.interval)
    if int(late.sum()) < 5:
        return CannotTell((tested.name,), "fewer than 5 evaluations in the second half")
    steps, after = tested.steps[late], tested.values[late]
    before = np.interp(steps, trained.steps, trained.values)
    low, high = level(before), level(after)
    size = NOTICEABLE * max(abs(high), abs(low))
    limit = max(share * _measure_range(tested, trained), 3 * (noise(after) + noise(trained.values)), size, 1e-9)
    if not _is_lasting(after - before, limit):
        found = _find_late_gap(tested, trained, share) or _find_parting(tested, trained)
        return found or _find_crossing(tested, trained) or _find_flat(tested, trained)
    other_units = low * high > 0 and not _agree(low, high, units) and _has_steady_ratio(tested, trained)
    harmless = level(after - before) > 0 or other_units
    told = "; so far apart, the two may be in different units" if other_units else ""
    found = _describe_gap(tested, trained, (low, high), limit, Level.INFO if harmless else Level.WARN, told)
    return _blame_sign(found) if not harmless and _is_mirrored(tested, trained, late) else found


def _is_mirrored(tested: Series, trained: Series, late: NDArray[np.bool_]) -> bool:
    """Whether both are on opposite sides of 0 before anything was learned and ever since, and late ones equally far."""
    before, after = np.interp(tested.steps, trained.steps, trained.values), tested.values
    near = np.abs(before + after) <= MIRRORED * np.abs(after)
    return bool(np.all(before * after < 0)) and float(np.mean(near[late])) >= MOST


def _blame_sign(found: Finding) -> Finding:
    message = f"{found.message.removesuffix('.')}; each is the other with the opposite sign: training is paid for what "
    return msgspec.structs.replace(found, message=f"{message}costs in the task.", link=Link.REWARD)


def _find_stuck(tested: Series, trained: Series) -> Finding | None:
    """An evaluation that is one and the same number while nearly every training return is well above it."""
    course = measure_course(trained)
    after = _list_late(tested, trained)
    if course is None or not course.improved or len(after) < STUCK or float(np.ptp(after)) > 0:
        return None
    stuck = float(after[0])
    before = trained.values[trained.steps >= (tested.first_step + tested.last_step) / 2]
    limit = max(OF_GAIN * (course.final - course.start), NOTICEABLE * abs(stuck))
    if len(before) < STUCK or level(before) - stuck < limit or float(np.mean(before > stuck)) < MOST:
        return None
    told = "; the evaluation is one and the same number throughout"
    return _describe_gap(tested, trained, (level(before), stuck), limit, Level.WARN, told)


def _find_flat(tested: Series, trained: Series) -> Finding | None:
    """Evaluations that scatter around one number from first to last, all below a training return that rose far."""
    course, before = measure_course(trained), np.interp(tested.steps, trained.steps, trained.values)
    late = len(tested) // 2
    if course is None or len(tested) < FLAT or tested.last_step > trained.last_step + OVERHANG * tested.interval:
        return None
    width, drift = float(np.ptp(tested.values)), trend(tested.values)
    moved = drift.rises or drift.falls or course.best - course.start < AS_FAR * width
    if moved or width <= 0 or float(np.mean(before[late:] > tested.values.max())) < MOST:
        return None
    levels = level(before[late:]), level(tested.values[late:])
    told = "; no evaluation since the first one shows anything of what training won"
    return _describe_gap(tested, trained, levels, 0.5 * (levels[0] - levels[1]), Level.WARN, told)


def _find_unmoved(tested: Series, trained: Series) -> Finding | None:
    """An evaluation that was one number before anything was learned and ever since, far beyond what training reaches.

    Further ahead at the end than training has risen in all: no policy that is still learning plays like that.
    """
    course = measure_course(trained)
    if course is None or not course.improved or len(tested) < FEWEST or float(np.ptp(tested.values)) > 0:
        return None
    told, best = float(tested.values[0]), float(trained.highs.max())
    limit = max(course.final - course.start, 3 * noise(trained.values))
    if told - best < limit:
        return None
    why = "; it was the same number before anything was learned, and is not that of the policy"
    return _describe_gap(tested, trained, (best, told), limit, Level.WARN, why)


def _find_far_behind(tested: Series, trained: Series, share: float) -> Finding | None:
    """Few evaluations of which none improves, each far below a training return that did."""
    course = measure_course(trained)
    after = _list_late(tested, trained)
    early = tested.values[: len(tested) - len(after)]
    if course is None or not course.improved or not SCARCE <= len(tested) < FEWEST or len(after) < SCARCE_LATE:
        return None
    before = np.interp(tested.steps[-len(after) :], trained.steps, trained.values)
    limit = max(share * (course.final - course.start), 3 * noise(trained.values))
    if float((before - after).min()) < limit or not len(early) or after.max() > early.max():
        return None
    return _describe_gap(tested, trained, (level(before), level(after)), limit, Level.WARN, "")


def _list_late(tested: Series, trained: Series) -> Array:
    """The evaluations of the second half, where training was logged up to there."""
    late = tested.steps >= (tested.first_step + tested.last_step) / 2
    return tested.values[late & (tested.last_step <= trained.last_step + OVERHANG * tested.interval)]


def _describe_gap(
    tested: Series, trained: Series, levels: tuple[float, float], limit: float, grade: Level, told: str
) -> Finding:
    """A gap with the step at which it opened."""
    low, high = levels
    step = _find_opening(tested, trained, limit, 1.0 if high > low else -1.0)
    return Finding(
        message=f"From step {step:,.0f} on the evaluation return is {high:,.4g} while the training return is "
        f"{low:,.4g} (limit of the gap {limit:,.3g}){told}.",
        level=grade,
        onset=step,
        onset_within=tested.interval,
        confidence=LOW if grade is Level.INFO else MEDIUM,
        evidence=(
            Evidence(metric=tested.name, value=high, limit=low - limit if high < low else low + limit, step=step),
            Evidence(metric=trained.name, value=low, step=step),
        ),
    )


def _find_opening(tested: Series, trained: Series, limit: float, side: float) -> float:
    """The step from which on the evaluation lies half of the limit and more on one side of the training return."""
    gap = side * (tested.values - np.interp(tested.steps, trained.steps, trained.values))
    held = find_still_above(gap, 0.5 * limit)
    return float(tested.steps[held.start if held is not None else len(tested) // 2])


def _find_late_gap(tested: Series, trained: Series, share: float) -> Finding | None:
    """An evaluation that falls behind towards the end: over the last fifth of the run, having kept up before."""
    size = max(len(tested) // LAST, LATE)
    steps, after = tested.steps[-size:], tested.values[-size:]
    if len(tested) < 2 * size or steps[0] < trained.first_step or steps[-1] > trained.last_step + trained.interval:
        return None
    before = np.interp(steps, trained.steps, trained.values)
    low, high = level(before), level(after)
    scatter = noise(tested.values) + noise(trained.values)
    limit = max(share * _measure_range(tested, trained), 3 * scatter, NOTICEABLE * max(abs(high), abs(low)), 1e-9)
    if high > low or not _is_lasting(after - before, limit):
        return None
    return _describe_gap(tested, trained, (low, high), limit, Level.WARN, "")


def _find_crossing(tested: Series, trained: Series) -> Finding | None:
    """An evaluation that was ahead of training at its best, early, and has been behind since training passed it.

    Training went on to improve by most of what it won, and no later evaluation is as good as that one.
    """
    course, top = measure_course(trained), int(np.argmax(tested.values))
    after = tested.values[top + 1 :]
    late = len(tested) - len(tested) // 2
    if course is None or not course.improved or top >= late or len(after) - late + top + 1 < LATE:
        return None
    before = np.interp(tested.steps, trained.steps, trained.values)
    rest = course.final - float(before[top])
    low, high = level(before[late:]), level(tested.values[late:])
    limit = max(3 * (noise(after) + noise(trained.values)), NOTICEABLE * max(abs(high), abs(low)), OF_REST * rest)
    ahead = tested.values[top] > before[top] and rest > LARGE_PART * (course.final - course.start)
    if not ahead or tested.last_step > trained.last_step + trained.interval:
        return None
    if float((before[late:] - tested.values[late:]).min()) < limit / 2 or low - high < limit:
        return None
    return _describe_gap(tested, trained, (low, high), limit, Level.WARN, "; it was ahead of training at first")


def _measure_range(*curves: Series) -> float:
    """The whole range of returns, in training or in evaluation, whichever is wider."""
    return max(float(curve.highs.max() - curve.lows.min()) for curve in curves)


def _is_lasting(gap: Array, limit: float) -> bool:
    """Whether the gap exceeds the limit and its points agree: nine of ten in sign, four of five in size."""
    off = level(gap)
    same_side, large = np.mean(np.sign(gap) == np.sign(off)), np.mean(np.abs(gap) > 0.5 * limit)
    return abs(off) >= limit and float(same_side) >= 0.9 and float(large) >= 0.8


def _has_steady_ratio(tested: Series, trained: Series) -> bool:
    """Whether evaluation and training keep to one factor from the first third to the last: then units differ."""
    before = np.interp(tested.steps, trained.steps, trained.values)
    third = max(len(tested) // 3, 1)
    parts = [(level(before[part]), level(tested.values[part])) for part in (slice(third), slice(-third, None))]
    if any(low * high <= 0 for low, high in parts):
        return False
    first, last = (high / low for low, high in parts)
    return 1 / STEADY < first / last < STEADY


def _agree(low: float, high: float, units: float) -> bool:
    """Whether two returns have the same sign and about the same size."""
    return low * high > 0 and 1 / units < high / low < units


def _find_parting(tested: Series, trained: Series) -> Finding | None:
    """Evaluation that falls from its peak while training keeps improving."""
    test, train = measure_course(tested), measure_course(trained)
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
