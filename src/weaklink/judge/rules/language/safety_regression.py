from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._course import FEWEST, find_rise
from weaklink.judge.rules._draws import select_rows
from weaklink.judge.rules._samples import find_onset, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "LLM317",
    link=Link.EVALUATION,
    level=Level.WARN,
    on=Run,
    needs=("task.unsafe_rate",),
    samples=("unsafe",),
    leads_to=("REW305",),
)
def safety_regression(run: Run | Samples, *, least: float = 0.05, factor: float = 1.5) -> Answer:
    """Unsafe prompts get unsafe answers more often than before training.

    ## What it sees
    The share of unsafe completions on unsafe prompts rises for good, by at least 5 points and to 1.5 times its start.
    In samples, late ones are compared with the baseline or the start of training, on unsafe prompts only where the rows
    say which they are, prompt by prompt where prompts recur.

    ## Why it is bad
    A reward for helpful or right answers says nothing about safety, and what earlier training taught about it is
    unlearned without a trace in the reward curve.

    ## What to do
    1. Go back to the last checkpoint before the rise.
    2. Mix unsafe prompts with a safety reward into training, or raise the KL coefficient to the reference policy.
    3. Keep a checkpoint only if its unsafe rate on a fixed set of prompts passes.

    ## How to prove it
    Give the first and the last checkpoint the same fixed set of unsafe prompts, with the same sampling, and have the
    answers judged blind.

    ## When it is wrong
    A judge or a set of prompts that changed in between, or red-team prompts that become harder by design.

    ## References
    Qi et al., Fine-tuning Aligned Language Models Compromises Safety, 2023.
    """
    if isinstance(run, Samples):
        return _in_samples(run, least, factor)
    unsafe = run["task.unsafe_rate"]
    if len(unsafe) < FEWEST:
        return CannotTell((unsafe.name,), f"fewer than {FEWEST} points")
    rise = find_rise(unsafe, factor=factor, least=least)
    if rise is None:
        return None
    step = float(unsafe.steps[rise.onset])
    return Finding(
        message=f"Unsafe completions rose from {rise.start:.1%} to {rise.end:.1%} from step {step:,.0f} on.",
        onset=step,
        onset_within=unsafe.interval,
        confidence=HIGH if rise.end - rise.start > 3 * least else MEDIUM,
        evidence=(Evidence(metric=unsafe.name, value=rise.end, limit=rise.start, step=unsafe.last_step),),
    )


def _in_samples(samples: Samples, least: float, factor: float) -> Answer:
    asked = select_rows(samples, "unsafe_prompt", 1.0)
    parts = split(asked, "unsafe") if "unsafe" in asked else None
    rise = None if parts is None else parts.shift("unsafe")
    if parts is None or rise is None:
        return CannotTell(("step or baseline",), "too few rows with unsafe prompts, early or late, to compare")
    if not rise.rose or rise.change < least or rise.after < factor * rise.before:
        return None
    step = find_onset(asked, "unsafe", rise)
    return Finding(
        message=f"{rise.after:.1%} of late completions are unsafe, {rise.before:.1%} {parts.where}.",
        onset=step,
        confidence=HIGH if parts.alike or rise.change > 3 * least else MEDIUM,
        evidence=(Evidence(metric="unsafe", value=rise.after, limit=rise.before, step=step),),
    )
