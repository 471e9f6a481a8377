from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._course import FEWEST, find_rise, is_language_run, list_outcomes
from weaklink.judge.rules._draws import FEWEST_ROWS, mark_samples, select_complete
from weaklink.judge.rules._samples import LIKELY, MeanShift, SampleSplit, find_onset, split
from weaklink.judge.rules._trajectories import (
    OutcomeGain,
    are_same_tasks,
    defer_to_samples,
    look_alike,
    measure_gain,
    measure_reach,
    measure_shift,
    read_column,
)
from weaklink.judge.rules._within import measure_effect
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "AGT305",
    link=Link.TASK,
    level=Level.WARN,
    on=Run,
    needs=(("task.cost", "task.turns"),),
    leads_to=("LLM302", "LLM303", "LLM309", "SYS301"),
    samples=(("cost", "turns", "failed_calls"),),
)
def cost_drift(seen: Run | Samples, *, factor: float = 1.5) -> Answer:
    """Trajectories become more expensive without more success.

    ## What it sees
    In the training of an agent, the cost or the number of turns of a trajectory rises for good to 1.5 times its start,
    while no measure of success rises.

    In samples the last trajectories are compared with the first ones, or with the baseline, at equal tasks or
    difficulties as far as these are known; where costs are threefold, a gain in success that few rows cannot rule out
    does not count. Besides cost and turns it checks whether the agent still recovers from
    failed calls. Where no outcome is known, the reward must not rise. Where success is at its ceiling already, it is
    information; so it is where early and late tasks are different ones, unless they take as many words and the change
    is twofold.

    ## Why it is bad
    Costs without a penalty grow. Longer trajectories make training slower, data staler and the final agent more
    expensive, and they hide an agent that no longer recovers from its mistakes but loops.

    ## What to do
    1. Read long trajectories: where does the agent loop, and after which mistake?
    2. Add a small penalty on turns or cost, or a hard limit.
    3. Compare the cost of solved and unsolved tasks: if only unsolved ones grow, let the agent stop sooner.

    ## How to prove it
    Let the first and the last checkpoint solve one fixed set of tasks: the last one must not need more turns for the
    tasks that both solve.

    ## When it is wrong
    A curriculum of harder tasks costs more by design; log the difficulty of each. Costs in safe reinforcement learning
    are constraints, not expenses; classic control runs are not judged.

    ## References
    Reinforcement Learning Training Debug Guide, on agents.
    """
    if isinstance(seen, Samples):
        return _in_samples(seen, factor)
    return _in_curves(seen, factor)


def _in_curves(run: Run, factor: float) -> Answer:
    agent = is_language_run(run) or "action.tool_calls" in run
    if not agent and not ("task.turns" in run and not run.family):
        return None
    logged = [run[name] for name in ("task.cost", "task.turns") if name in run and len(run[name]) >= FEWEST]
    made = [answer for series in logged if (answer := defer_to_samples(series)) is not None]
    if made:
        return made[0]
    if not logged:
        return CannotTell(("task.cost or task.turns",), f"fewer than {FEWEST} points")
    risen = [(series, rise) for series in logged if (rise := find_rise(series, factor=factor)) is not None]
    if not risen:
        return None
    courses = list_outcomes(run)
    if any(course.improved for course in courses):
        return None
    if not courses:
        return CannotTell(("task.success_rate or evaluation.score",), "no success is logged to compare with")
    series, rise = risen[0]
    course = courses[0]
    step = float(series.steps[rise.onset])
    word = "The cost" if series.name == "task.cost" else "The number of turns"
    return Finding(
        message=f"{word} of a trajectory rose from {rise.start:.3g} to {rise.end:.3g} from step {step:,.0f} on, while "
        f"{course.metric} went from {course.start:.3g} to {course.final:.3g}.",
        onset=step,
        onset_within=series.interval,
        confidence=HIGH if course.declined else MEDIUM,
        evidence=(
            Evidence(metric=series.name, value=rise.end, limit=factor * rise.start, step=series.last_step),
            Evidence(metric=course.metric, value=course.final, limit=course.start),
        ),
    )


BY_CHANCE = 1.5
"""Standard errors: a smaller gain may be chance."""
SERVES = 0.15
"""The correlation with the outcome below which the extra cost is useless."""

LARGE = 2.0
"""Times as much: what other tasks of the same size do not explain."""

HUGE, SLIGHT, UNLIKELY = 3.0, 0.12, 0.5
"""Times as much, twice the limit, at which no certainty about success is needed: a gain up to a tenth of its range, and
half of the range ruled out, do not pay for it."""

RECOVERY, LEFT = "recovery", "calls left failed"
WORDS = {"cost": "The cost of a trajectory", "turns": "The number of turns of a trajectory"}


def _in_samples(samples: Samples, factor: float) -> Answer:
    names = [name for name in WORDS if name in samples]
    unsure: CannotTell | None = None if names else _too_few("failed_calls")
    for name in names:
        rows = select_complete(samples, name)
        parts = split(rows, name) if len(rows) >= 2 * FEWEST_ROWS else None
        shift = None if parts is None else measure_shift(parts, name)
        if parts is None or shift is None:
            unsure = _too_few(name)
        elif shift.rose and 0 < factor * shift.before <= shift.after:
            answer = _judge_gain(rows, parts, name, shift, f"{WORDS[name]} rose from {shift.before:.3g} {parts.where}")
            if isinstance(answer, Finding):
                return answer
            unsure = answer or unsure
    recovery = _recovery(samples, factor)
    return recovery if isinstance(recovery, Finding) else unsure or recovery


def _too_few(name: str) -> CannotTell:
    return CannotTell(("step or baseline", name), "too few comparable trajectories early and late")


def _recovery(samples: Samples, factor: float) -> Finding | CannotTell | None:
    """Whether the agent recovers from failed calls less often, and leaves more of them failed."""
    if "failed_calls" not in samples or "recovered_calls" not in samples:
        return None
    rows = mark_samples(mark_samples(samples, RECOVERY, _made_good), LEFT, _left)
    parts, all_parts = split(rows, RECOVERY), split(rows, LEFT)
    shift = None if parts is None else measure_shift(parts, RECOVERY)
    left = None if all_parts is None else measure_shift(all_parts, LEFT)
    if all_parts is None or shift is None or left is None or not shift.fell or not left.rose:
        return None
    if shift.after * factor > shift.before:
        return None
    start = f"The share of failed calls that the agent recovers from fell from {shift.before:.2f} {all_parts.where}"
    return _judge_gain(rows, all_parts, RECOVERY, shift, start)


def _made_good(samples: Samples) -> Array:
    failed = read_column(samples, "failed_calls")
    return np.where(failed > 0, read_column(samples, "recovered_calls") / np.maximum(failed, 1.0), np.nan)


def _left(samples: Samples) -> Array:
    left: Array = read_column(samples, "failed_calls") - read_column(samples, "recovered_calls")
    return left


def _is_useless(rows: Samples, gain: OutcomeGain, name: str) -> bool:
    """Whether success may have grown only by chance, and costlier trajectories of one draw are clearly no better."""
    served = measure_effect(rows, gain.name, rows[name], None)
    if served is None or not served.paired or gain.never or gain.shift.z > BY_CHANCE:
        return False
    return bool(served.strength + LIKELY / served.rows**0.5 <= SERVES)


def _is_unpaid(parts: SampleSplit, gain: OutcomeGain, shift: MeanShift) -> bool:
    """Whether costs grew so much that a slight gain, though it may be more by chance, does not explain them."""
    whole = measure_reach(np.concatenate((parts.before[gain.name], parts.after[gain.name])))
    most = gain.shift.change + LIKELY * gain.shift.error
    slight = gain.shift.change <= SLIGHT * whole and gain.shift.z < LIKELY / 2 and most <= UNLIKELY * whole
    return bool(not gain.never and slight and shift.after >= HUGE * shift.before > 0)


def _judge_gain(
    rows: Samples, parts: SampleSplit, name: str, shift: MeanShift, start: str
) -> Finding | CannotTell | None:
    gain = measure_gain(parts, "reward")
    if gain is None or (gain.better is None and not (_is_useless(rows, gain, name) or _is_unpaid(parts, gain, shift))):
        missing = parts.after.outcome or "gold or success or expected_state"
        return CannotTell((missing,), "too few rows say whether success grew with it")
    if gain.better:
        return None
    return Finding(
        message=f"{start} to {shift.after:.3g}, while {gain.told}.",
        onset=find_onset(rows, name, shift),
        level=Level.INFO if gain.at_top or not _comparable(rows, parts, shift) else Level.WARN,
        confidence=HIGH if gain.declined else MEDIUM,
        evidence=(
            Evidence(metric=name, value=shift.after, limit=shift.before),
            Evidence(metric=gain.name, value=gain.shift.after, limit=gain.shift.before),
        ),
    )


def _comparable(rows: Samples, parts: SampleSplit, shift: MeanShift) -> bool:
    """Whether harder tasks do not explain it: the same tasks, or others of one size and a change that is large."""
    factor = max(shift.after, shift.before) / max(min(shift.after, shift.before), 1e-12)
    return are_same_tasks(rows, parts) or (factor >= LARGE and look_alike(parts))
