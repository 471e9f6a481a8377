from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import FEWEST_ROWS, mark_samples, select_complete
from weaklink.judge.rules._samples import SURE, SampleSplit, find_onset, split
from weaklink.judge.rules._trajectories import OutcomeGain, are_same_tasks, look_alike, measure_gain, measure_shift
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

IDLE = "trajectories without a call"
FALLEN = 3.0
"""Standard errors by which the outcome must fall; calls fall by four besides."""


@rule(
    "AGT309",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("tool_calls", "outcome", ("step", "policy_version")),
    leads_to=("AGT302", "LLM301", "LLM302", "LLM305", "LLM311"),
)
def skipped_work(samples: Samples, *, factor: float = 0.7) -> Answer:
    """The agent stops using its tools: it answers after fewer steps or without any call, and gets worse.

    ## What it sees
    The number of tool calls of a trajectory falls during training to 0.7 of its start or less, beyond chance, and so
    does the outcome. Where early and late tasks are different ones, they must take as many words.

    ## Why it is bad
    Calls cost turns, and a reward that pays for brevity, for a claim or for any answer makes it worth while to leave
    them out. The agent then guesses, says that it has no access, or reports work that it has not done.

    ## What to do
    1. Read ten late trajectories with few calls: does the agent guess, refuse, or claim?
    2. Pay for what the tools show: check the answer or the final state, and no text about it.
    3. Drop the penalty on calls or turns until success is learned.

    ## How to prove it
    Sample fifty tasks with the first checkpoint and the last one: success must not fall where calls do.

    ## When it is wrong
    Tasks that got harder in a way that calls do not help with.

    ## References
    Reinforcement Learning Training Debug Guide, on agents.
    """
    rows = select_complete(samples, "tool_calls")
    parts = split(rows, "tool_calls") if len(rows) >= 2 * FEWEST_ROWS else None
    shift = None if parts is None else measure_shift(parts, "tool_calls")
    gain = None if parts is None else measure_gain(parts)
    if parts is None or shift is None or gain is None:
        return CannotTell(("step", "outcome"), "too few comparable trajectories early and late")
    if not shift.fell or shift.after > factor * shift.before:
        return None
    if gain.shift.z > -FALLEN or not gain.shift.sizeable or not (are_same_tasks(rows, parts) or look_alike(parts)):
        return None
    return Finding(
        message=f"The agent makes fewer steps: {shift.after:.2g} tool calls a trajectory, {shift.before:.2g} "
        f"{parts.where}{_tell_idle(rows, parts)}, while {gain.told}.",
        onset=find_onset(rows, "tool_calls", shift),
        confidence=HIGH if gain.shift.z <= -SURE else MEDIUM,
        evidence=_list_evidence(shift.before, shift.after, gain),
    )


def _list_evidence(before: float, after: float, gain: OutcomeGain) -> tuple[Evidence, ...]:
    return (
        Evidence(metric="tool_calls", value=after, limit=before),
        Evidence(metric=gain.name, value=gain.shift.after, limit=gain.shift.before),
    )


def _tell_idle(rows: Samples, parts: SampleSplit) -> str:
    """How many make no call at all, where those became more."""
    marked = split(mark_samples(rows, IDLE, _mark_idle), IDLE)
    idle = None if marked is None or marked.baseline is not parts.baseline else measure_shift(marked, IDLE)
    return "" if idle is None or not idle.rose else f" ({idle.after:.0%} make no call, {idle.before:.0%} before)"


def _mark_idle(rows: Samples) -> Array:
    calls = rows["tool_calls"] if "tool_calls" in rows else np.full(len(rows), np.nan)
    return np.where(np.isfinite(calls), calls == 0, np.nan)
