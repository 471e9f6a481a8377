from __future__ import annotations

from weaklink.evidence.performance import course_of
from weaklink.evidence.run import Run
from weaklink.finding import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.loop import Link
from weaklink.rules._course import FEWEST, outcomes, start_of, still_above
from weaklink.rules._registry import rule


@rule(
    "LLM302",
    link=Link.REWARD,
    level=Level.WARN,
    on=Run,
    needs=("task.completion_length",),
    leads_to=("LLM303", "LLM309", "LLM311", "REW305", "SYS301"),
)
def length_inflation(run: Run, *, factor: float = 2.0) -> Answer:
    """Completions grow and grow, and nothing that counts grows with them.

    ## What it sees
    The length of completions stays over twice its level in the first tenth of training until the end of the
    log, while no measure of success rises: neither a human or gold score, nor a held-out score, nor a reward
    component for being right. Where none of these is logged, the reward itself must not rise either.

    ## Why it is bad
    Length is the cheapest thing that many rewards pay for. The policy learns to fill space, every step costs
    more, and at last completions run into the length cap.

    ## What to do
    1. Read the ten best-paid completions: are they longer, emptier, more alike?
    2. Look for a term that grows with length: a reward model's taste, a sum over tokens, a loss that is
       divided by the length of each completion.
    3. Compare rewards at equal outcome, and take length out of them or set a small price on it.
    4. Put a held-out score beside the reward.

    ## How to prove it
    Repeat a short run with a price on length: the score must not fall.

    ## When it is wrong
    Training for reasoning lengthens answers because longer ones are right more often; there a measure of
    success rises too and the rule stays silent. Where only a rising reward is logged it cannot tell the two
    apart.

    ## References
    Liu et al., Understanding R1-Zero-Like Training (Dr. GRPO), 2025; Singhal et al., A Long Way to Go, 2023.
    """
    lengths = run["task.completion_length"]
    if len(lengths) < FEWEST:
        return CannotTell((lengths.name,), f"fewer than {FEWEST} points")
    start = start_of(lengths.values)
    if start <= 0:
        return CannotTell((lengths.name,), "the first completions have no length to compare with")
    held = still_above(lengths.values, factor * start)
    if held is None or held.start == 0:
        return None
    measures = outcomes(run)
    if any(course.improved for course in measures):
        return None
    paid = run.get("reward.mean", "reward.episode_return")
    reward = None if paid is None else course_of(paid)
    if not measures and (reward is None or reward.improved):
        return CannotTell(("evaluation.score",), "lengths doubled, and whether answers got better is not logged")
    step = float(lengths.steps[held.start])
    flat = measures[0] if measures else reward
    proof = [Evidence(metric=lengths.name, value=held.level, limit=factor * start, step=step)]
    said = ""
    if flat is not None:
        proof.append(Evidence(metric=flat.metric, value=flat.final, limit=flat.start))
        said = f", while {flat.metric} went from {flat.start:.3g} to {flat.final:.3g}"
    sure = LOW if not measures else HIGH if reward is not None and reward.improved else MEDIUM
    return Finding(
        message=f"Completions hold at {held.level:,.0f} tokens from step {step:,.0f} on, "
        f"{held.level / start:.1f} times their start of {start:,.0f}{said}.",
        onset=step,
        onset_within=lengths.interval,
        confidence=sure,
        evidence=tuple(proof),
    )
