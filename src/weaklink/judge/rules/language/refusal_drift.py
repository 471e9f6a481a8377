from __future__ import annotations

import numpy as np

from weaklink.base.evidence.performance import measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._course import FEWEST, find_rise, list_outcomes
from weaklink.judge.rules._draws import FEWEST_ROWS, average_by_draw, hash_draws, select_complete, select_rows
from weaklink.judge.rules._samples import SURE, MeanShift, SampleSplit, find_onset, select_latest, split
from weaklink.judge.rules._within import measure_effect
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

MIXED, FEWEST_MEMBERS = 0.7, 3
"""A prompt that fewer completions than this share refuse was not refused for its content."""

ANSWERED = 0.2
"""A kind of prompt of which fewer were refused at the start, and that is not called unsafe, has nothing to refuse."""


@rule(
    "LLM305",
    link=Link.REWARD,
    level=Level.WARN,
    on=Run,
    needs=("task.refusal_rate",),
    samples=("refusal",),
    leads_to=("LLM307", "LLM308", "LLM311", "REW304", "REW305"),
)
def refusal_drift(run: Run | Samples, *, least: float = 0.1, factor: float = 1.5, strength: float = 0.2) -> Answer:
    """The model refuses more and more prompts.

    ## What it sees
    The share of refusals rises for good, by at least 10 points and to half as much again as at the start. It is
    information only where unsafe completions fall at the same time and nothing gets worse, because that is then the
    aim.

    In samples only harmless prompts are judged, where the rows say which they are; refusals must rise by as much there,
    and refusing must not have the better outcome. A kind of prompt that is not called unsafe, and of which less than a
    fifth was refused at the start, counts as harmless. Where nothing says which prompts are harmless, refusals must
    have worse outcomes than answers, or most of them must have answers to the same prompt beside them. Without training
    steps, it is an alarm where a tenth of harmless prompts is refused, and refusals get a higher reward than answers to
    the same prompt and a worse outcome.

    ## Why it is bad
    A refusal never violates a safety reward, so under one that is too strong it becomes the safest answer to
    everything, harmless questions included.

    ## What to do
    1. Measure refusals on harmless prompts separately.
    2. Reward helpful answers to harmless prompts, and balance safety against it.
    3. Go back to the last checkpoint before the rise.

    ## How to prove it
    Give a fixed set of harmless prompts to the first and to the last checkpoint: the share of refusals must be the
    same.

    ## When it is wrong
    Training that is meant to teach refusals, or prompts that become more dangerous over training.

    ## References
    Röttger et al., XSTest, 2024.
    """
    if isinstance(run, Samples):
        return _in_samples(run, least, factor, strength)
    refusals = run["task.refusal_rate"]
    if len(refusals) < FEWEST:
        return CannotTell((refusals.name,), f"fewer than {FEWEST} points")
    rise = find_rise(refusals, factor=factor, least=least)
    if rise is None:
        return None
    courses = list_outcomes(run)
    unsafe = run.get("task.unsafe_rate")
    safer = None if unsafe is None else measure_course(unsafe.scaled(-1.0))
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


def _in_samples(samples: Samples, least: float, factor: float, strength: float) -> Answer:
    harmless = select_rows(select_complete(samples, "refusal"), "unsafe_prompt", 0.0)
    now = average_by_draw(select_latest(harmless, "refusal"), "refusal") if "refusal" in harmless else None
    if now is None:
        return CannotTell(("refusal",), "too few rows with harmless prompts")
    if now.mean < least:
        return None
    parts = split(harmless, "refusal")
    grown = None if parts is None else parts.shift("refusal")
    if parts is None or grown is None:
        return _paid_for(harmless, now.mean, least, strength)
    if not grown.rose or grown.change < least or grown.after < factor * grown.before:
        return _paid_for(harmless, now.mean, least, strength)
    worth = _worth(parts.after)
    if worth is not None and worth > -0.1:
        return None
    answered = samples.kind and grown.before < ANSWERED
    if worth is None and "unsafe_prompt" not in samples and not answered and not _scattered(parts.after):
        return CannotTell(("unsafe_prompt",), "refusals rose, and no column says which prompts are harmless")
    return _grown(harmless, parts, grown, factor, "unsafe_prompt" in samples)


def _worth(rows: Samples) -> float | None:
    """How much better the outcome of refusing is than of answering, as a share of its range; None if unknown."""
    if rows.outcome is None:
        return None
    known = select_complete(rows, "refusal", rows.outcome)
    refused, outcome = known["refusal"] > 0.5, known[rows.outcome]
    if min(refused.sum(), (~refused).sum()) < 5:
        return None
    reach = float(outcome.max() - outcome.min())
    return float(outcome[refused].mean() - outcome[~refused].mean()) / reach if reach else 0.0


def _scattered(rows: Samples) -> bool:
    """Whether most refusals have answers to the same prompt beside them: unsafe prompts are refused by nearly all."""
    _, draw, sizes = np.unique(hash_draws(rows), return_inverse=True, return_counts=True)
    share = np.bincount(draw, rows["refusal"]) / sizes
    refused = draw[(rows["refusal"] > 0.5) & (sizes[draw] >= FEWEST_MEMBERS)]
    return len(refused) >= FEWEST_ROWS and bool((share[refused] < MIXED).mean() >= 0.5)


def _grown(samples: Samples, parts: SampleSplit, grown: MeanShift, factor: float, known: bool) -> Finding:
    step = find_onset(samples, "refusal", grown)
    worst = parts.worst
    of = "harmless prompts" if known else "prompts"
    told = "" if worst is None else f", and {worst[0]} fell from {worst[1].before:.3g} to {worst[1].after:.3g}"
    return Finding(
        message=f"{grown.after:.0%} of {of} are refused late in training, {grown.before:.0%} {parts.where}{told}.",
        onset=step,
        confidence=HIGH if known or worst is not None else MEDIUM,
        evidence=(Evidence(metric="refusal", value=grown.after, limit=factor * grown.before, step=step),),
    )


def _paid_for(samples: Samples, share: float, least: float, strength: float) -> Answer:
    """Refusals with a higher reward than answers to the same prompt, and a worse outcome."""
    if samples.outcome is None or "reward" not in samples:
        return None
    rows = select_complete(samples, "refusal", "reward", samples.outcome)
    paid = measure_effect(rows, "reward", rows["refusal"], None)
    worth = measure_effect(rows, samples.outcome, rows["refusal"], None)
    if paid is None or worth is None or not paid.paired:
        return None
    if paid.strength < strength or paid.z < SURE or worth.strength > -strength or worth.z > -SURE:
        return None
    return Finding(
        message=f"{share:.0%} of prompts are refused; refusals get a higher reward than answers to the same prompt "
        f"(correlation {paid.strength:.2f}) and are worse by {samples.outcome} ({worth.strength:.2f}).",
        confidence=MEDIUM,
        evidence=(
            Evidence(metric="refusal", value=share, limit=least),
            Evidence(metric=samples.outcome, value=worth.strength, limit=-strength),
        ),
    )
