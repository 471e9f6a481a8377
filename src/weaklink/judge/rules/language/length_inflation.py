from __future__ import annotations

from dataclasses import replace

import numpy as np

from weaklink.base.evidence.performance import measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._course import FEWEST, find_rise, find_still_above, list_outcomes, start_of
from weaklink.judge.rules._draws import add_columns, select_complete
from weaklink.judge.rules._samples import LIKELY, SURE, MeanShift, SampleSplit, find_onset, split
from weaklink.judge.rules._trajectories import defer_to_samples
from weaklink.judge.rules._within import list_form_components, measure_effect
from weaklink.judge.rules.writing import HIGH, LOW, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

EMPTIER = 0.75
"""Texts whose share of distinct words falls below this part of its former level say less in more words."""

FOLLOWS, DECIDES, AMONG_LONGER = 0.6, 0.85, 0.6
"""Without an outcome: correlations with length that are information, and an alarm (three quarters of the variance,
which leaves little for quality); and the part that must be left among the longer half, where nothing is empty."""

NOVEL = "length without repeats"

TRICKS = ("dodges_tests", "several_answers", "addresses_judge")
"""What takes words to get paid, and has rules of its own."""

FEW_SCORES = 10
"""Different rewards: a verdict has fewer, and short answers may well be the wrong ones."""


@rule(
    "LLM302",
    link=Link.REWARD,
    level=Level.WARN,
    on=Run,
    needs=("task.completion_length",),
    samples=("length",),
    leads_to=("LLM303", "LLM309", "LLM311", "REW305", "SYS301"),
    symptoms={"high reward, bad behaviour": 4},
    checks={"length of responses": "decides"},
)
def length_inflation(run: Run | Samples, *, factor: float = 2.0, strength: float = 0.3) -> Answer:
    """Completions keep getting longer without getting better.

    ## What it sees
    The length of completions stays over twice its level in the first tenth of training until the end of the log, while
    no measure of success rises: neither a human or gold score, nor a held-out score, nor a reward component for
    correctness. Where none of these is logged, the reward itself must not rise either. Where the reward falls, the
    policy is blamed: it is not paid for length, so something else drives it.

    In samples, late completions are over twice as long as those of the baseline, or of the first tenth of training,
    while no outcome rises, and one of these rules out harder prompts: the reward rises, texts have a quarter fewer
    distinct words, or prompts and difficulties are known to be alike. What a completion repeats does not count: loops
    are LLM303. It is an alarm too where, among completions of the same prompt and outcome, the reward correlates with
    length (0.3 or more; 0.6 where an outcome rises) and the outcome does not; the words that a trick takes, such as
    stored answers, are left to its own rule. Where no outcome is known, that correlation is information from 0.6 on and
    an alarm from 0.85 on, where it holds among the longer half of the completions too; and lengths that doubled are an
    alarm where the reward does not rise.

    ## Why it is bad
    Length is the cheapest way to raise many rewards. The policy learns to fill space, every step costs more, and
    finally completions are truncated at the length cap.

    ## What to do
    1. Read the ten completions with the highest reward: are they longer, emptier, more alike?
    2. Look for a term that grows with length: a reward model's preference, a sum over tokens, a loss that is divided by
       the length of each completion.
    3. Compare rewards at equal outcome, and remove length from them or add a small length penalty.
    4. Log a held-out score beside the reward.

    ## How to prove it
    Repeat a short run with a length penalty: the score must not fall.

    ## When it is wrong
    Training for reasoning lengthens answers because longer ones are right more often; there a measure of success rises
    too and the rule stays silent. Where only a rising reward is logged it cannot separate the two. A curriculum
    lengthens answers as prompts grow harder: give the difficulty of prompts.

    ## References
    Liu et al., Understanding R1-Zero-Like Training (Dr. GRPO), 2025; Singhal et al., A Long Way to Go, 2023.
    """
    if isinstance(run, Samples):
        return _in_samples(run, factor, strength)
    lengths = run["task.completion_length"]
    if (deferred := defer_to_samples(lengths)) is not None:  # a mean does not know whether prompts got harder
        return deferred
    if len(lengths) < FEWEST:
        return CannotTell((lengths.name,), f"fewer than {FEWEST} points")
    start = start_of(lengths.values)
    if start <= 0:
        return CannotTell((lengths.name,), "the first completions have no length to compare with")
    held = find_still_above(lengths.values, factor * start)
    if held is None or held.start == 0:
        return None
    if "task.difficulty" in run and find_rise(run["task.difficulty"]) is not None:
        return CannotTell(("task.difficulty",), "prompts got harder, which needs longer answers")
    measures = list_outcomes(run)
    if any(course.improved for course in measures):
        return None
    paid = run.get("reward.mean", "reward.episode_return")
    reward = None if paid is None else measure_course(paid)
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
    unpaid = reward is not None and reward.declined
    return Finding(
        link=Link.POLICY if unpaid else Link.REWARD,
        message=f"Completions hold at {held.level:,.0f} tokens from step {step:,.0f} on, "
        f"{held.level / start:.1f} times their start of {start:,.0f}{said}.",
        onset=step,
        onset_within=lengths.interval,
        confidence=sure,
        evidence=tuple(proof),
    )


def _in_samples(samples: Samples, factor: float, strength: float) -> Answer:
    paid = _paid_for(samples, strength)
    parts = split(samples, "length")
    grown = None if parts is None else parts.shift("length")
    if parts is None or grown is None or grown.before <= 0:
        return paid if paid is not None else CannotTell(("step or baseline",), "no start to compare lengths with")
    if parts.better:  # a chance rise, or one for other reasons, does not make up for a reward that length decides
        return paid if paid is not None and paid.evidence[0].value >= 2 * strength else None
    if not grown.rose or not _said_more(parts, factor):
        return paid
    emptier = _emptier(parts)
    reward = parts.shift("reward")
    dearer = reward is not None and reward.z >= LIKELY and reward.sizeable
    if not parts.measures and not emptier:
        return paid or _unpaid(samples, parts, grown, factor, reward)
    if parts.better is None and parts.measures:
        return paid or CannotTell(("outcome",), "lengths doubled, and no outcome says whether answers got better")
    if not (dearer or emptier or parts.alike or paid):
        return CannotTell(("difficulty",), "lengths doubled, and no difficulty says whether prompts got harder")
    return _grown(samples, parts, grown, factor, emptier, HIGH if dearer and parts.measures else MEDIUM)


def _said_more(parts: SampleSplit, factor: float) -> bool:
    """Whether completions are that much longer without what they repeat: a loop is long because it is a loop."""
    novel = replace(parts, before=_count_novel(parts.before), after=_count_novel(parts.after)).shift(NOVEL)
    return novel is not None and novel.after > factor * novel.before > 0


def _count_novel(rows: Samples) -> Samples:
    """The rows with the length of each completion without its repeats."""
    repeats = np.nan_to_num(rows["repetition"]) if "repetition" in rows else 0.0
    return add_columns(rows, **{NOVEL: rows["length"] * (1.0 - repeats)})


def _unpaid(samples: Samples, parts: SampleSplit, grown: MeanShift, factor: float, reward: MeanShift | None) -> Answer:
    """Where no outcome is known: longer completions whose reward does not rise either."""
    if reward is None or reward.z >= LIKELY / 2:
        return CannotTell(("outcome",), "lengths doubled, and no outcome says whether answers got better")
    return _grown(samples, parts, grown, factor, False, LOW)


def _emptier(parts: SampleSplit) -> bool:
    """Whether texts have clearly fewer distinct words."""
    density = parts.shift("density")
    return density is not None and density.fell and density.after < EMPTIER * density.before


def _grown(
    samples: Samples, parts: SampleSplit, grown: MeanShift, factor: float, emptier: bool, sure: float
) -> Finding:
    step = find_onset(samples, "length", grown)
    reward = parts.shift("reward")
    known = parts.measures or ({} if reward is None else {"reward": reward})
    flat = parts.worst or next(iter(known.items()), None)
    proof = [Evidence(metric="length", value=grown.after, limit=factor * grown.before, step=step)]
    told = ", with fewer distinct words" if emptier else ""
    if flat is not None:
        proof.append(Evidence(metric=flat[0], value=flat[1].after, limit=flat[1].before))
        told += f", while {flat[0]} went from {flat[1].before:.3g} to {flat[1].after:.3g}"
    return Finding(
        message=f"Late completions are {grown.after:,.0f} {samples.unit} long, {grown.after / grown.before:.1f} times "
        f"the {grown.before:,.0f} {parts.where}{told}.",
        onset=step,
        confidence=sure,
        evidence=tuple(proof),
    )


def _paid_for(samples: Samples, strength: float) -> Finding | None:
    """Length that raises the reward among completions of one prompt with one outcome."""
    if "reward" not in samples:
        return None
    if samples.outcome is None:
        return _decided_by(samples)
    rows = select_complete(samples, "reward", "length", samples.outcome)
    held = list_form_components(rows)
    held.extend(np.nan_to_num(rows[trick]) for trick in TRICKS if trick in rows)
    if "tool_calls" in rows:  # what is said grows with what is done, and calls have rules of their own
        held.append(np.log1p(np.maximum(np.nan_to_num(rows["tool_calls"]), 0.0)))
    seen = measure_effect(rows, "reward", np.log1p(np.maximum(rows["length"], 0.0)), samples.outcome, held)
    if seen is None or not seen.bought(strength, SURE + 1):
        return None
    alike = "of one prompt and one outcome" if seen.paired else "of one outcome"
    return Finding(
        message=f"Among completions {alike} the reward follows length (correlation {seen.strength:.2f} over "
        f"{seen.rows:,} rows), and {samples.outcome} does not ({seen.outcome:.2f}).",
        confidence=MEDIUM,
        evidence=(Evidence(metric="reward", value=seen.strength, limit=strength),),
    )


def _decided_by(samples: Samples) -> Finding | None:
    """Without an outcome: a score that hardly anything but length decides, also among the longer completions alone."""
    rows = select_complete(samples, "reward", "length")
    if len(rows) < FEWEST or len(np.unique(rows["reward"])) <= FEW_SCORES:
        return None
    held = list_form_components(rows)
    seen = measure_effect(rows, "reward", np.log1p(np.maximum(rows["length"], 0.0)), None, held)
    longer = rows.where(rows["length"] >= np.median(rows["length"]))
    again = measure_effect(longer, "reward", np.log1p(longer["length"]), None, list_form_components(longer))
    if seen is None or again is None or not seen.paired or again.strength < AMONG_LONGER * seen.strength:
        return None
    if seen.strength < FOLLOWS or min(seen.z, again.z) < SURE + 1:
        return None
    return Finding(
        message=f"Among completions of one prompt length explains {seen.strength**2:.0%} of the reward (correlation "
        f"{seen.strength:.2f} over {seen.rows:,} rows), and no outcome says that longer ones are better.",
        level=Level.WARN if seen.strength >= DECIDES else Level.INFO,
        confidence=MEDIUM,
        evidence=(Evidence(metric="reward", value=seen.strength, limit=FOLLOWS),),
    )
