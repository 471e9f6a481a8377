from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST, find_still_above, start_of
from weaklink.judge.rules._draws import FEWEST_ROWS, average_by_draw, mark_samples, select_complete
from weaklink.judge.rules._samples import LIKELY, MeanShift, SampleSplit, find_onset, split
from weaklink.judge.rules._trajectories import (
    WRONG,
    defer_to_samples,
    measure_gain,
    measure_shift,
    measure_wrongly_paid,
    read_column,
)
from weaklink.judge.rules._tricks import compare_pay
from weaklink.judge.rules._within import measure_effect
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "AGT303",
    link=Link.ACTION,
    level=Level.WARN,
    on=Run,
    needs=("action.tool_failures",),
    leads_to=("AGT305", "LLM308", "REW301", "REW302"),
    samples=("tool_calls", ("illegal_calls", "failed_calls")),
)
def illegal_tool_call(
    seen: Run | Samples,
    *,
    limit: float = 0.3,
    illegal: float = 0.1,
    counted: float = 0.05,
    listed: float = 0.9,
) -> Answer:
    """Tool calls fail or are not allowed, and training does not reduce them.

    ## What it sees
    The share of tool calls that fail stays above 0.3 until the end of the log and has not come down by a third since
    the start. Where the run improves nevertheless, it is information.

    In samples it sees three things: more than 0.1 of the last trajectories call a tool outside the allowed set, and
    this has not come down by a third since the start, or costs no reward where there is only one checkpoint; more than
    0.05 of the trajectories fail with a failed call that the agent did not recover from, and are rewarded or counted as
    successes; and a share of failed calls above 0.3 that rose by half since the start, or as large a share without
    recovery.

    ## Why it is bad
    A failed call returns an error message instead of an observation. If failures are common the agent learns from the
    wrapper around its tools, and if a failed call counts as a completed step it learns to fail.

    ## What to do
    1. List the failed calls by their error: unknown tool, wrong arguments, timeout, broken tool.
    2. Fix the faults of the tools: timeouts, rate limits, crashing sandboxes.
    3. Show the allowed tools and their arguments in the prompt, and penalise calls outside them.
    4. Check that a failed call is never graded as a success.

    ## How to prove it
    Let a script make a hundred valid calls: they must all succeed. Then count the failed calls in trajectories that
    were graded as successes.

    ## When it is wrong
    Searches that may come back empty, or code whose tests fail until it is right, count as failures in some wrappers.
    Where nearly every trajectory calls a tool outside the list from the first step on, the list lacks a tool, and the
    rule does not judge.

    ## References
    Reinforcement Learning Training Debug Guide, on agents.
    """
    if isinstance(seen, Samples):
        return _in_samples(seen, limit=limit, illegal=illegal, counted=counted, listed=listed)
    return _in_curves(seen, limit)


def _in_curves(run: Run, limit: float) -> Answer:
    failures = run["action.tool_failures"]
    if (made := defer_to_samples(failures)) is not None:
        return made
    if len(failures) < FEWEST:
        return CannotTell((failures.name,), f"fewer than {FEWEST} points")
    held = find_still_above(failures.values, limit)
    if held is None:
        return None
    start, end = start_of(failures.values), level(failures.values[-max(3, len(failures) // 5) :])
    if end < start / 1.5:
        return None
    step = float(failures.steps[held.start])
    learns = run.performance is not None and run.performance.improved
    return Finding(
        message=f"{held.level:.0%} of the tool calls fail from step {step:,.0f} on (limit {limit:.0%}; "
        f"{start:.0%} at the start).",
        onset=step,
        onset_within=failures.interval,
        level=Level.INFO if learns else Level.WARN,
        confidence=HIGH if held.level > 2 * limit else MEDIUM,
        evidence=(Evidence(metric=failures.name, value=held.level, limit=limit, step=step),),
    )


OUTSIDE, FAILED, LEFT = "illegal trajectories", "failed share", "failed share left"
NEARLY_ALL = 0.7
"""The share of failed calls from which on no tool works, whatever the reward says."""
TO_FALL = 1.5
"""A share that fell by a third is being unlearned."""


def _in_samples(samples: Samples, *, limit: float, illegal: float, counted: float, listed: float) -> Answer:
    rows = select_complete(samples, "tool_calls")
    if len(rows) < 2 * FEWEST_ROWS:
        return CannotTell(("tool_calls",), f"fewer than {2 * FEWEST_ROWS} trajectories")
    answers = (_outside(rows, illegal, listed), _counted(rows, counted), _failing(rows, limit))
    findings = tuple(answer for answer in answers if isinstance(answer, Finding))
    return findings or next((answer for answer in answers if answer is not None), None)


def _late(rows: Samples, name: str) -> tuple[Samples, SampleSplit | None]:
    parts = split(rows, name)
    return (rows, None) if parts is None else (parts.after, parts)


def _unlearnt(shift: MeanShift | None) -> bool:
    return shift is not None and shift.after < shift.before / TO_FALL


def _outside(rows: Samples, illegal: float, listed: float) -> Finding | CannotTell | None:
    if "illegal_calls" not in rows:
        return None
    rows = mark_samples(rows, OUTSIDE, _called_outside)
    late, parts = _late(rows, OUTSIDE)
    drawn = average_by_draw(late, OUTSIDE)
    if drawn is None or drawn.mean - LIKELY * drawn.error <= illegal:
        return None
    shift = None if parts is None else measure_shift(parts, OUTSIDE)
    if _unlearnt(shift) or (shift is None and not _costs_nothing(rows)):
        return None
    if drawn.mean >= listed and (shift is None or shift.before >= listed):
        return CannotTell(("allowed_tools",), "nearly every trajectory calls a tool outside the list: it lacks one")
    before = "" if shift is None or parts is None else f", {shift.before:.0%} {parts.where}"
    return Finding(
        message=f"{drawn.mean:.0%} of the trajectories call tools outside the allowed set (limit {illegal:.0%}"
        f"{before}).",
        onset=None if shift is None or not shift.rose else find_onset(rows, OUTSIDE, shift),
        confidence=HIGH,
        evidence=(Evidence(metric="illegal_calls", value=drawn.mean, limit=illegal),),
    )


def _costs_nothing(rows: Samples) -> bool:
    """Whether trajectories with calls outside the list get no lower reward than others of the same task."""
    name = "reward" if "reward" in rows else rows.outcome
    price = None if name is None else measure_effect(rows, name, rows[OUTSIDE], None)
    return price is not None and price.z > -LIKELY


def _counted(rows: Samples, counted: float) -> Finding | CannotTell | None:
    if "failed_calls" not in rows:
        return None
    paid = measure_wrongly_paid(rows, _left_failed(rows) > 0)
    if paid is None or not paid.over(counted) or not paid.peculiar(counted):
        return None
    return Finding(
        message=f"{paid.share:.0%} of the trajectories failed, with a failed call that the agent did not recover from, "
        f"and were rewarded as successes (limit {counted:.0%}): {paid.among:.0%} of such failures are rewarded.",
        onset=None if paid.shift is None else find_onset(paid.samples, WRONG, paid.shift),
        confidence=HIGH,
        evidence=(Evidence(metric="failed_calls", value=paid.share, limit=counted),),
    )


def _called_outside(samples: Samples) -> Array:
    calls = read_column(samples, "illegal_calls")
    return np.where(np.isfinite(calls), calls > 0, np.nan)


def _failed(samples: Samples) -> Array:
    calls = read_column(samples, "tool_calls")
    return np.where(calls > 0, read_column(samples, "failed_calls") / np.maximum(calls, 1.0), np.nan)


def _left_failed(samples: Samples) -> Array:
    """The share of calls that failed and that the agent did not recover from."""
    calls = read_column(samples, "tool_calls")
    failed = read_column(samples, "failed_calls") - np.nan_to_num(read_column(samples, "recovered_calls"))
    return np.where(calls > 0, failed / np.maximum(calls, 1.0), np.nan)


def _failing(rows: Samples, limit: float) -> Finding | CannotTell | None:
    if "failed_calls" not in rows:
        return None
    rows = mark_samples(mark_samples(rows, LEFT, _left_failed), FAILED, _failed)
    for name in (FAILED, LEFT):
        late, parts = _late(rows, name)
        drawn = average_by_draw(late, name)
        if drawn is None or drawn.mean - LIKELY * drawn.error <= limit:
            continue
        shift = None if parts is None else measure_shift(parts, name)
        rose = shift is not None and shift.rose and shift.after >= TO_FALL * shift.before
        if rose or (name == LEFT and not _unlearnt(shift)):
            return _often(rows, parts, name, drawn.mean, shift, limit)
    return None


def _often(
    rows: Samples, parts: SampleSplit | None, name: str, share: float, shift: MeanShift | None, limit: float
) -> Finding | None:
    gain = None if parts is None else measure_gain(parts)
    # where no outcome is known, a reward that rises while nearly all calls fail pays for something else
    worse = share > NEARLY_ALL if gain is None else gain.better is False
    before = "" if shift is None or parts is None else f"; {shift.before:.0%} {parts.where}"
    word = "fail" if name == FAILED else "fail without recovery"
    return Finding(
        message=f"{share:.0%} of the tool calls of a trajectory {word} (limit {limit:.0%}{before}){_tell_pay(rows)}.",
        onset=None if shift is None or not shift.rose else find_onset(rows, name, shift),
        level=Level.WARN if worse else Level.INFO,
        confidence=HIGH if share > 2 * limit else MEDIUM,
        evidence=(Evidence(metric="failed_calls", value=share, limit=limit),),
    )


def _tell_pay(rows: Samples) -> str:
    """What ending in a failed call costs, where that is nothing."""
    paid = compare_pay(rows, "ended_failed") if "ended_failed" in rows else None
    if paid is None or paid < 0.0:
        return ""
    return ", and trajectories that end in such an error get no less reward: the agent ignores it and answers"
