from __future__ import annotations

from weaklink.evidence.performance import course_of
from weaklink.evidence.run import Run
from weaklink.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.loop import Link
from weaklink.rules._course import FEWEST, outcomes, rise_of
from weaklink.rules._registry import rule


@rule(
    "LLM305",
    link=Link.REWARD,
    level=Level.WARN,
    on=Run,
    needs=("task.refusal_rate",),
    leads_to=("LLM307", "LLM308", "LLM311", "REW304", "REW305"),
)
def refusal_drift(run: Run, *, least: float = 0.1, factor: float = 1.5) -> Answer:
    """The model declines more and more of what it is asked.

    ## What it sees
    The share of refusals rises for good, by at least 10 points and to half as much again as at the start. It
    is only worth knowing where unsafe completions fall at the same time and nothing gets worse, for then it
    is the aim.

    ## Why it is bad
    Refusing never offends a safety reward, so under one that is too strong it becomes the safest answer to
    everything, harmless questions included.

    ## What to do
    1. Measure refusals on harmless prompts by themselves.
    2. Pay for helpful answers on harmless prompts, and weigh safety against it.
    3. Go back to the last checkpoint before the rise.

    ## How to prove it
    Ask a fixed set of harmless prompts at the start's and at the end's checkpoint: the share of refusals must
    be the same.

    ## When it is wrong
    Training that is meant to teach refusals, or a stream of prompts that grows more dangerous.

    ## References
    Röttger et al., XSTest, 2024.
    """
    refusals = run["task.refusal_rate"]
    if len(refusals) < FEWEST:
        return CannotTell((refusals.name,), f"fewer than {FEWEST} points")
    rise = rise_of(refusals, factor=factor, least=least)
    if rise is None:
        return None
    courses = outcomes(run)
    unsafe = run.get("task.unsafe_rate")
    safer = None if unsafe is None else course_of(unsafe.scaled(-1.0))
    aimed = safer is not None and safer.improved
    worse = next((course for course in courses if course.declined), None)
    if any(course.improved for course in courses) and worse is None:
        aimed = True
    step = float(refusals.steps[rise.onset])
    said = "" if worse is None else f", and {worse.metric} fell from {worse.best:.3g} to {worse.final:.3g}"
    proof = [Evidence(metric=refusals.name, value=rise.end, limit=factor * rise.start, step=refusals.last_step)]
    if worse is not None:
        proof.append(Evidence(metric=worse.metric, value=worse.final, limit=worse.best))
    return Finding(
        message=f"Refusals rose from {rise.start:.0%} to {rise.end:.0%} from step {step:,.0f} on{said}.",
        onset=step,
        onset_within=refusals.interval,
        level=Level.INFO if aimed and worse is None else Level.WARN,
        confidence=HIGH if worse is not None else MEDIUM,
        evidence=tuple(proof),
    )
