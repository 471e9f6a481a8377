from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST, during, still_above
from weaklink.judge.rules._draws import by_draw
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules._samples import LIKELY, latest, onset, split


@rule(
    "LLM309",
    link=Link.TASK,
    level=Level.WARN,
    on=Run,
    needs=("task.truncated_fraction",),
    samples=("truncated",),
    leads_to=("LLM308", "LLM312", "LLM304", "OPT302", "POL302", "REW301", "REW304"),
)
def truncated_completions(
    run: Run | Samples, *, alarm: float = 0.5, notice: float = 0.2, unended: float = 0.9
) -> Answer:
    """Completions are cut off before they end, so what is judged is not what was meant.

    ## What it sees
    The share of completions cut by the length cap stays above 0.5 until the end of the log and the run does
    not improve (above 0.2, or improving all the same: worth knowing). Where nearly all count as cut although
    they are clearly shorter than the cap, it is not the cap: the token that ends them is not recognised. In
    samples the same is asked of those at the end of training, or of all where there is no course.

    ## Why it is bad
    A cut completion has no answer, so it earns nothing, whatever it was about to say. Groups in which all are
    cut have no spread, the gradient is zero, and the reward function gets the blame.

    ## What to do
    1. Raise the cap on completion length, or ask for shorter answers in the prompt.
    2. If lengths stay below the cap: give the trainer every end-of-sequence token of the model and its chat
       template.
    3. Decide what a cut completion is worth: leave it out of the loss, or price it, but never grade half an
       answer.

    ## How to prove it
    Print the last ten tokens of twenty completions: cut ones stop in mid-sentence, and unrecognised ones
    carry an end token that the trainer does not know.

    ## When it is wrong
    Training for long reasoning runs against its cap for a while and shortens later; a share that falls again
    is left alone.

    ## References
    autocontext issue #1067 (length cap); trl pull request #7039 (second end-of-sequence token).
    """
    if isinstance(run, Samples):
        return _in_samples(run, alarm, notice, unended)
    cut = run["task.truncated_fraction"]
    if len(cut) < FEWEST:
        return CannotTell((cut.name,), f"fewer than {FEWEST} points")
    held = still_above(cut.values, alarm)
    limit = alarm
    if held is None:
        held, limit = still_above(cut.values, notice), notice
    if held is None:
        return None
    step = float(cut.steps[held.start])
    cap = _cap(run)
    length = during(run, "task.completion_length", cut, held.start)
    missed = held.level >= unended and cap is not None and length is not None and length < 0.9 * held.level * cap
    learns = run.performance is not None and run.performance.improved
    proof = [Evidence(metric=cut.name, value=held.level, limit=limit, step=step)]
    if missed and length is not None and cap is not None:
        proof.append(Evidence(metric="task.completion_length", value=length, limit=cap, step=step))
        said = f"although they are {length:,.0f} tokens long and the cap is {cap:,.0f}: their end is not recognised"
    else:
        said = f"at {cap:,.0f} tokens" if cap is not None else "by the length cap"
    return Finding(
        message=f"{held.level:.0%} of the completions count as cut from step {step:,.0f} on "
        f"(limit {limit:.0%}), {said}.",
        onset=step,
        onset_within=cut.interval,
        level=Level.INFO if limit < alarm or (learns and not missed) else Level.WARN,
        link=Link.DATA if missed else Link.TASK,
        confidence=HIGH if missed or held.level > 0.8 else MEDIUM,
        evidence=tuple(proof),
    )


def _cap(run: Run) -> float | None:
    """The longest completion allowed: as configured, else the longest ever seen."""
    stated = run.config.number("max_completion_length")
    if stated is not None and stated > 0:
        return stated
    longest = run.get("task.completion_length_max")
    return None if longest is None or level(longest.values) <= 0 else float(longest.highs.max())


def _in_samples(samples: Samples, alarm: float, notice: float, unended: float) -> Answer:
    late = latest(samples, "truncated")
    share = by_draw(late, "truncated")
    if share is None:
        return CannotTell(("truncated",), "too few rows, or too few prompts")
    if share.mean - LIKELY * share.error <= notice:
        return None
    limit = alarm if share.mean > alarm else notice
    parts = split(samples, "truncated")
    shift = None if parts is None else parts.shift("truncated")
    reward = None if parts is None else parts.shift("reward")
    moved = [] if parts is None else [*parts.measures.values(), *([] if reward is None else [reward])]
    learns = any(each.rose and each.sizeable for each in moved)
    early = _ended_early(late) if share.mean >= unended else None
    step = onset(samples, "truncated", shift) if shift is not None and shift.rose else None
    proof = [Evidence(metric="truncated", value=share.mean, limit=limit, step=step)]
    told = "by the length cap"
    if early is not None:
        length, cap = early
        proof.append(Evidence(metric="length", value=length, limit=cap))
        told = f"although they are {length:,.0f} tokens long and the cap is {cap:,.0f}: their end is not recognised"
    return Finding(
        message=f"{share.mean:.0%} of the completions count as cut (limit {limit:.0%}), {told}.",
        onset=step,
        level=Level.INFO if limit < alarm or (learns and early is None) else Level.WARN,
        link=Link.DATA if early is not None else Link.TASK,
        confidence=HIGH if early is not None or share.mean > 0.8 else MEDIUM,
        evidence=tuple(proof),
    )


def _ended_early(late: Samples) -> tuple[float, float] | None:
    """Length and cap of those that count as cut, where they are clearly shorter than the cap."""
    if late.unit != "tokens" or "max_tokens" not in late or "length" not in late:
        return None
    cut = (late["truncated"] > 0.5) & np.isfinite(late["length"]) & np.isfinite(late["max_tokens"])
    if not cut.any():
        return None
    length, cap = float(np.median(late["length"][cut])), float(np.median(late["max_tokens"][cut]))
    return (length, cap) if length < 0.9 * cap else None
