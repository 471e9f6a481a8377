from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._course import FEWEST, find_still_above, has_gained, start_of
from weaklink.judge.rules._draws import FEWEST_ROWS, average_by_draw, mark_samples, select_complete
from weaklink.judge.rules._samples import SURE, SampleSplit, find_onset, select_latest, split
from weaklink.judge.rules._within import measure_effect
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

PAID = 0.5
"""Without an outcome, the correlation of the reward with repetition, and the share of repeats, that are needed."""

SHORT = 20
"""In fewer words than this, one phrase said twice is a large share but no loop."""


@rule(
    "LLM303",
    link=Link.EXPLORATION,
    level=Level.WARN,
    on=Run,
    needs=("task.repetition",),
    samples=("repetition",),
    leads_to=("LLM302", "LLM309", "LLM308", "REW304", "REW305", "LLM368"),
)
def repetition(run: Run | Samples, *, limit: float = 0.2, share: float = 0.1, loops: float = 0.5) -> Answer:
    """The model repeats itself.

    ## What it sees
    The share of repeated n-grams in completions stays above 0.2 until the end of the log. It is an alarm where
    repetition grew during training without success rising, or was there from the start and nothing improves; otherwise
    it is information.

    A sample counts as repetitive where over 0.2 of its 4-grams occurred in it before and it is not short. It is an
    alarm where the share of repetitive samples rises by 10 points without a better outcome; where they are a tenth or
    more, have a worse outcome than others to the same prompt, and get no lower reward (where no outcome is known: are
    mostly repeats and get a far higher reward); and where most of the text (over half) is repeats and nothing says that
    it is right.

    ## Why it is bad
    A policy that has drifted far from its pretrained distribution ends in loops. They fill the length cap, and a reward
    that counts words or keywords pays for them.

    ## What to do
    1. Read some repetitive completions and their rewards: does repetition pay?
    2. Raise the KL coefficient to the reference policy, or lower the learning rate.
    3. Check that the end-of-sequence token is part of the loss and that sampling uses the training temperature.
    4. Add a penalty on repeated n-grams only after the cause is known.

    ## How to prove it
    Score the same text with and without the repeated part: a sound reward does not pay for the repeats.

    ## When it is wrong
    Code, tables, proofs and multi-turn transcripts repeat n-grams by nature, so what was there from the start of a run
    that learns is no alarm.

    ## References
    Holtzman et al., The Curious Case of Neural Text Degeneration, 2020. The limit is that of an earlier reward audit.
    """
    if isinstance(run, Samples):
        return _in_samples(select_complete(run, "repetition"), limit, share, loops)
    repeats = run["task.repetition"]
    if len(repeats) < FEWEST:
        return CannotTell((repeats.name,), f"fewer than {FEWEST} points")
    held = find_still_above(repeats.values, limit)
    if held is None:
        return None
    start = start_of(repeats.values)
    grown = held.level > max(1.5 * start, start + 0.05)
    better = has_gained(run)
    learns = better or (not grown and run.performance is not None and run.performance.improved)
    step = float(repeats.steps[held.start])
    since = f"up from {start:.0%} at the start" if grown else "as at the start"
    return Finding(
        message=f"{held.level:.0%} of n-grams are repeats from step {step:,.0f} on (limit {limit:.0%}), {since}.",
        onset=step,
        onset_within=repeats.interval,
        level=Level.INFO if learns else Level.WARN,
        confidence=HIGH if grown and held.level > 2 * limit else MEDIUM,
        evidence=(Evidence(metric=repeats.name, value=held.level, limit=limit, step=step),),
    )


def _in_samples(samples: Samples, limit: float, share: float, loops: float) -> Answer:
    def repetitive(rows: Samples) -> Array:
        """1 where a text repeats itself, 0 where not; a loop of a short text is none."""
        long = rows["length"] >= SHORT if "length" in rows else np.ones(len(rows), bool)
        ratio = rows["repetition"] if "repetition" in rows else np.full(len(rows), np.nan)
        return np.where(np.isfinite(ratio), (ratio > limit) & long, np.nan)

    flagged = mark_samples(samples, "repetitive", repetitive)
    now = average_by_draw(select_latest(flagged, "repetitive"), "repetitive")
    if now is None:
        return CannotTell(("repetition",), f"fewer than {FEWEST_ROWS} rows, or too few prompts")
    if now.mean < share:
        return None
    parts = split(flagged, "repetitive")
    grown = None if parts is None else parts.shift("repetitive")
    if parts is not None and grown is not None and grown.rose and grown.change >= share:
        return None if parts.better else _grown(flagged, parts, limit)
    return _worse(flagged, now.mean, limit) or _looping(flagged, now.mean, loops)


def _grown(samples: Samples, parts: SampleSplit, limit: float) -> Answer:
    grown, typical, reward = parts.shift("repetitive"), parts.shift("repetition"), parts.shift("reward")
    if grown is None or typical is None:
        return None
    if reward is not None and reward.fell and not parts.alike:
        return CannotTell(("difficulty",), "repetition rose as rewards fell, and prompts may have changed")
    step = find_onset(samples, "repetitive", grown)
    return Finding(
        message=f"{grown.after:.0%} of late completions are repetitive (over {limit:.0%} of their n-grams are "
        f"repeats), {grown.before:.0%} {parts.where}.",
        onset=step,
        confidence=HIGH if parts.better is False else MEDIUM,
        evidence=(
            Evidence(metric="repetitive", value=grown.after, limit=grown.before, step=step),
            Evidence(metric="repetition", value=typical.after, limit=limit),
        ),
    )


def _worse(samples: Samples, share: float, limit: float) -> Finding | None:
    """Repetitive completions with a worse outcome than others of their prompt and no lower reward."""
    if "reward" not in samples:
        return None
    if samples.outcome is None:
        return _paid_for(samples, share)
    rows = select_complete(samples, "repetitive", "reward", samples.outcome)
    result = measure_effect(rows, samples.outcome, rows["repetitive"], None)
    paid = measure_effect(rows, "reward", rows["repetitive"], None)
    if result is None or paid is None or not result.paired:
        return None
    if result.strength > -0.2 or result.z > -SURE or paid.z < -2.0:
        return None
    return Finding(
        message=f"{share:.0%} of the completions are repetitive (over {limit:.0%} of their n-grams are repeats); they "
        f"are worse by {samples.outcome} than others to the same prompt (correlation {result.strength:.2f}) and get "
        "no lower reward.",
        confidence=MEDIUM,
        evidence=(Evidence(metric=samples.outcome, value=result.strength, limit=-0.2),),
    )


def _paid_for(samples: Samples, share: float) -> Finding | None:
    """Loops with a far higher reward than other completions of their prompt, where no outcome is known."""
    rows = select_complete(samples, "repetitive", "reward")
    looped = rows["repetitive"] > 0.5
    paid = measure_effect(rows, "reward", rows["repetitive"], None)
    if paid is None or not paid.paired or paid.strength < PAID or paid.z < SURE + 1:
        return None
    deep = float(rows["repetition"][looped].mean())
    if deep <= PAID:
        return None
    return Finding(
        message=f"{share:.0%} of the completions are repetitive ({deep:.0%} of their n-grams are repeats), and get "
        f"a higher reward than others to the same prompt (correlation {paid.strength:.2f}).",
        confidence=MEDIUM,
        evidence=(Evidence(metric="reward", value=paid.strength, limit=PAID),),
    )


def _looping(samples: Samples, share: float, loops: float) -> Answer:
    """Text that is mostly repeats from the start on, unless its outcome is good."""
    late = select_latest(samples, "repetition")
    typical = average_by_draw(late, "repetition")
    if typical is None or typical.mean - 2 * typical.error <= loops or share < 0.5:
        return None
    outcome = None if samples.outcome is None else average_by_draw(late, samples.outcome)
    if outcome is not None and outcome.mean > 0.5:
        return None
    return Finding(
        message=f"{typical.mean:.0%} of the n-grams of completions are repeats, in {share:.0%} of them over the limit.",
        level=Level.WARN if outcome is not None else Level.INFO,
        confidence=MEDIUM,
        evidence=(Evidence(metric="repetition", value=typical.mean, limit=loops),),
    )
