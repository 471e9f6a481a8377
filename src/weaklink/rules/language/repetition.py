from __future__ import annotations

from weaklink.evidence.run import Run
from weaklink.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.loop import Link
from weaklink.rules._course import FEWEST, gained, start_of, still_above
from weaklink.rules._registry import rule


@rule(
    "LLM303",
    link=Link.EXPLORATION,
    level=Level.WARN,
    on=Run,
    needs=("task.repetition",),
    leads_to=("LLM302", "LLM309", "LLM308", "REW304", "REW305"),
)
def repetition(run: Run, *, limit: float = 0.2) -> Answer:
    """The model says the same thing over and over.

    ## What it sees
    The share of repeated n-grams in completions stays above 0.2 until the end of the log. It is an alarm
    where repetition came up during training without success rising, or was there from the start and nothing
    improves; otherwise it is worth knowing.

    ## Why it is bad
    Loops are where a policy ends that has drifted off the language it once knew. They fill the length cap,
    and a reward that counts words or keywords pays for them.

    ## What to do
    1. Read some repeating completions, and their rewards: does repetition pay?
    2. Strengthen the pull to the reference model, or lower the learning rate.
    3. Check that the end-of-sequence token lies inside the loss and that sampling uses the training
       temperature.
    4. Take up a price on repeated n-grams only after the cause is known.

    ## How to prove it
    Score the same text with and without the repeated part: a sound reward does not pay for the repeats.

    ## When it is wrong
    Code, tables, proofs and multi-turn transcripts repeat n-grams by nature, so what was there from the start
    of a run that learns is no alarm.

    ## References
    Holtzman et al., The Curious Case of Neural Text Degeneration, 2020. The limit is the seed's reward audit.
    """
    share = run["task.repetition"]
    if len(share) < FEWEST:
        return CannotTell((share.name,), f"fewer than {FEWEST} points")
    held = still_above(share.values, limit)
    if held is None:
        return None
    start = start_of(share.values)
    grown = held.level > max(1.5 * start, start + 0.05)
    better = gained(run)
    learns = better or (not grown and run.performance is not None and run.performance.improved)
    step = float(share.steps[held.start])
    since = f"up from {start:.0%} at the start" if grown else "as from the start"
    return Finding(
        message=f"{held.level:.0%} of n-grams are repeats from step {step:,.0f} on (limit {limit:.0%}), {since}.",
        onset=step,
        onset_within=share.interval,
        level=Level.INFO if learns else Level.WARN,
        confidence=HIGH if grown and held.level > 2 * limit else MEDIUM,
        evidence=(Evidence(metric=share.name, value=held.level, limit=limit, step=step),),
    )
