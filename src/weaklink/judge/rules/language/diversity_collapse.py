from __future__ import annotations

from functools import partial

import numpy as np

from weaklink.base.evidence.performance import measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._course import FEWEST, find_still_below, has_gained, start_of
from weaklink.judge.rules._draws import (
    average_by_draw,
    find_steps,
    hash_columns,
    hash_draws,
    mark_samples,
    select_complete,
)
from weaklink.judge.rules._samples import LIKELY, SampleSplit, find_onset, select_latest, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SMALLEST = 3
"""Pairs agree too often by chance."""

LONG = 20
"""Longer texts than this are not the same by chance, as short answers are."""

SHORT, NEARLY_ALL = 12, 0.75
"""Words from which on one text to many prompts is no answer to them where it spread during training, no outcome rose
and its share grew by so much: a sentence that gives one of two verdicts is seldom so much oftener than the other."""

ONE_TEXT, FEWEST_PROMPTS = 0.2, 10
"""The share of late completions that is one text to so many prompts."""

SAME_TEXT = {"gist": "one text, but for some words", "text": "one text to the letter"}
"""How one text that many prompts get is told."""

MOST_OF_IT, SOME_PROMPTS = 0.5, 3
"""The same where there are fewer prompts: most of the completions, and to most of the prompts."""

JUDGED_ANEW = 0.1
"""The share of groups of one text whose rewards differ, from which on rows may be gradings of one completion."""

NONE = 0.02
"""The share of different texts in groups that is none but for single ones."""

KINDS = {
    "answer": "answers",
    "path": "tool-call sequences",
    "text": "texts",
    "gist": "texts, but for some words,",
    "opening": "openings",
}


@rule(
    "LLM307",
    link=Link.EXPLORATION,
    level=Level.WARN,
    on=Run,
    needs=("task.distinct_fraction",),
    samples=("group", ("answer", "path", "text", "gist", "opening")),
    leads_to=("LLM308", "LLM312", "REW302", "REW304"),
)
def diversity_collapse(run: Run | Samples, *, limit: float = 0.2, top: float = 0.9) -> Answer:
    """All answers to a prompt become the same, without becoming right.

    ## What it sees
    The share of distinct answers within a group stays below 0.2 until the end of the log, after it began at twice that
    level or more, and neither a measure of success nor the reward rises. Where it was that low from the start, it is
    information.

    In samples the same is measured for the answers, tool-call sequences and whole texts in each group of three or more,
    and for texts that differ in some words only: how many differ beyond the first, as a share of how many could.
    Openings count only where the reward does not rise or success falls, because a learned format begins with the same
    words. Whole texts of some length that are identical from the start are an alarm as well, unless they are right, or
    rows without a step pay equal texts differently, which a judge does that grades one completion several times; so
    is one text, not a refusal, that a fifth of late completions to ten prompts and more share, or half of those to
    fewer prompts; and a text that differs in some words only where that share grew by a fifth and no outcome rose.
    A text of a dozen words and more counts where its share grew by three quarters, and no outcome rose.

    ## Why it is bad
    A group whose completions agree has no advantages, so nothing can be learned from it. Token entropy may look fine:
    the words vary and the answer does not.

    ## What to do
    1. Check the sampling temperature and top-p that the rollouts actually use.
    2. Raise the KL coefficient to the reference policy, or the entropy bonus; lower the learning rate.
    3. Go back to the last checkpoint with diverse answers, and drop prompts that all completions answer alike.

    ## How to prove it
    Sample one prompt fifty times from the first and from the last checkpoint, and count the distinct answers.

    ## When it is wrong
    A solved task has one answer and all completions give it: success then rises and the rule stays silent. Yes-or-no
    questions have few answers by nature.

    ## References
    Cui et al., The Entropy Mechanism of Reinforcement Learning for Reasoning Language Models, 2025.
    """
    if isinstance(run, Samples):
        return _in_samples(run, limit, top)
    distinct = run["task.distinct_fraction"]
    if len(distinct) < FEWEST:
        return CannotTell((distinct.name,), f"fewer than {FEWEST} points")
    held = find_still_below(distinct.values, limit)
    if held is None:
        return None
    better = has_gained(run)
    paid = run.get("reward.mean", "reward.episode_return")
    reward = None if paid is None else measure_course(paid)
    if better or (better is None and reward is not None and reward.improved):
        return None
    if better is None and reward is None:
        return CannotTell(("evaluation.score or reward.mean",), "agreement on the right answer looks the same")
    start = start_of(distinct.values)
    fallen = start >= 2 * max(held.level, 1e-12)
    step = float(distinct.steps[held.start])
    entropy = run.get("exploration.entropy", "exploration.relative_entropy")
    said = "" if entropy is None else f"; {entropy.name} still reads {entropy.values[-1]:.3g}"
    since = f"down from {start:.0%}" if fallen else "as at the start"
    return Finding(
        message=f"Only {held.level:.0%} of the answers in a group are distinct from step {step:,.0f} on, {since}, "
        f"and success does not rise{said}.",
        onset=step,
        onset_within=distinct.interval,
        level=Level.WARN if fallen else Level.INFO,
        confidence=HIGH if fallen and better is False else MEDIUM,
        evidence=(Evidence(metric=distinct.name, value=held.level, limit=limit, step=step),),
    )


def _in_samples(samples: Samples, limit: float, top: float) -> Answer:
    everywhere = _everywhere(samples) or _spreading(samples, "gist", LONG, ONE_TEXT)
    everywhere = everywhere or _spreading(samples, "text", SHORT, NEARLY_ALL)
    if everywhere is not None:  # whatever is paid, it cannot be right for all of them
        return everywhere
    samples = select_complete(samples, "group")
    judged = False
    for kind in KINDS:
        if kind not in samples:
            continue
        varied = mark_samples(samples, "variety", partial(_variety, kind=kind))
        late = select_latest(varied, "variety")
        now = average_by_draw(late, "variety")
        if now is None:
            continue
        judged = True
        alike = kind == "text" and _is_one_text(late)
        if (now.mean + 2 * now.error > limit and not alike) or _right(late, top):
            continue
        answer = _alike(varied, kind, limit)
        if answer is not None:
            return answer
    return None if judged else CannotTell(("group",), f"too few groups of {SMALLEST} and more")


def _variety(samples: Samples, kind: str) -> Array:
    """How many members of a row's group differ beyond the first, as a share of how many could."""
    if kind not in samples or "group" not in samples:
        return np.full(len(samples), np.nan)
    codes = samples.codes[kind]
    known = (codes >= 0) & (samples.codes["group"] >= 0)
    if kind in ("text", "gist", "opening") and "length" in samples:
        known &= samples["length"] >= LONG
    variety = np.full(len(samples), np.nan)
    _, group, sizes = np.unique(hash_draws(samples)[known], return_inverse=True, return_counts=True)
    _, first = np.unique(hash_columns(group.astype(np.int64), codes[known]), return_index=True)
    distinct = np.bincount(group[first], minlength=len(sizes))
    share = np.where(sizes >= SMALLEST, (distinct - 1) / np.maximum(sizes - 1, 1), np.nan)
    variety[known] = share[group]
    return variety


def _everywhere(samples: Samples) -> Finding | None:
    """One long text that many prompts get, other than a refusal."""
    if "text" not in samples or "length" not in samples or not ("prompt" in samples or "group" in samples):
        return None
    late = select_latest(samples, "text")
    fit = late["length"] >= LONG
    if "refusal" in late:
        fit &= late["refusal"] != 1.0
    known, counts = np.unique(late.codes["text"][fit], return_counts=True)
    if not len(known) or counts.max() < ONE_TEXT * len(late):
        return None
    usual = fit & (late.codes["text"] == known[counts.argmax()])
    prompts = late.codes["prompt" if "prompt" in late else "group"]
    answered, asked = (len(np.unique(codes[codes >= 0])) for codes in (prompts[usual], prompts))
    share, limit = float(usual.mean()), ONE_TEXT if answered >= FEWEST_PROMPTS else MOST_OF_IT
    if answered < max(SOME_PROMPTS, MOST_OF_IT * asked if limit == MOST_OF_IT else 0) or share < limit:
        return None
    return Finding(
        message=f"The same text makes up {share:.0%} of late completions, to {answered:,} prompts (limit {limit:.0%}).",
        confidence=HIGH,
        evidence=(Evidence(metric="one text", value=share, limit=limit),),
    )


def _spreading(samples: Samples, kind: str, shortest: int, most: float) -> Finding | None:
    """One text, to the letter or but for some words, that spread over many prompts without a better outcome."""
    if not all(name in samples for name in (kind, "length", "prompt")) or "tool_calls" in samples:
        return None  # the words between calls are alike by nature
    late = select_latest(samples, kind)
    fit = (late["length"] >= shortest) & (late["refusal"] != 1.0 if "refusal" in late else True)
    known, counts = np.unique(late.codes[kind][fit], return_counts=True)
    if not len(known) or counts.max() < most * len(late):
        return None
    usual = known[counts.argmax()]
    prompts = late.codes["prompt"][fit & (late.codes[kind] == usual)]
    marked = mark_samples(samples, SAME_TEXT[kind], partial(_mark_text, kind=kind, text=int(usual)))
    parts = split(marked, SAME_TEXT[kind])
    shift = None if parts is None else parts.shift(SAME_TEXT[kind])
    if parts is None or shift is None or len(np.unique(prompts)) < FEWEST_PROMPTS or parts.better:
        return None
    if not shift.rose or shift.change < most:
        return None
    return Finding(
        message=f"Completions become alike whatever is asked: {shift.after:.0%} of the late ones are "
        f"{SAME_TEXT[kind]}, to {len(np.unique(prompts)):,} prompts, {shift.before:.0%} {parts.where}.",
        onset=find_onset(marked, SAME_TEXT[kind], shift),
        confidence=HIGH,
        evidence=(Evidence(metric=SAME_TEXT[kind], value=shift.after, limit=shift.before + most),),
    )


def _mark_text(samples: Samples, kind: str, text: int) -> Array:
    if kind not in samples:
        return np.full(len(samples), np.nan)
    return np.where(samples.codes[kind] >= 0, samples.codes[kind] == text, np.nan)


def _right(late: Samples, top: float) -> bool:
    """Whether most of them are right, so that agreement is the aim."""
    outcome = late.outcome or "reward"
    if outcome not in late:
        return False
    column = late[outcome][np.isfinite(late[outcome])]
    low, high = min(float(column.min()), 0.0), max(float(column.max()), 1.0)
    return bool((column.mean() - low) / (high - low) >= top)


def _alike(samples: Samples, kind: str, limit: float) -> Answer:
    parts = split(samples, "variety")
    shift = None if parts is None else parts.shift("variety")
    if parts is None or shift is None:
        return _from_the_start(samples, kind, limit)
    if not shift.fell or shift.before < 2 * max(shift.after, 1e-12):
        return _from_the_start(samples, kind, limit)
    reward = parts.shift("reward")
    learned = parts.better or (not parts.measures and reward is not None and reward.z >= LIKELY)
    learned = learned and kind != "text"  # no success needs the same words; and late ones are not right, or not all
    if learned or (kind == "opening" and not _idle(parts)):
        return None
    if parts.better is None and reward is None and kind != "text":  # long texts agree to the letter in no right answer
        return CannotTell(("outcome", "reward"), "agreement on the right answer looks the same")
    return _fallen(samples, parts, kind, limit)


def _is_one_text(late: Samples) -> bool:
    """Whether most groups say one thing to the letter."""
    same = average_by_draw(late, "variety")
    return same is not None and bool((same.means == 0.0).mean() >= MOST_OF_IT)


def _idle(parts: SampleSplit) -> bool:
    """Whether the outcome falls, or is known and rises no more than the reward does: not at all."""
    reward = parts.shift("reward")
    return parts.worst is not None or (bool(parts.measures) and (reward is None or reward.z < LIKELY))


def _fallen(samples: Samples, parts: SampleSplit, kind: str, limit: float) -> Answer:
    shift, entropy = parts.shift("variety"), parts.shift("entropy")
    if shift is None:
        return None
    step = find_onset(samples, "variety", shift)
    gain = ", and success does not rise" if parts.measures or parts.shift("reward") is not None else ""
    told = "" if entropy is None else f"; the entropy of tokens reads {entropy.after:.3g}, {entropy.before:.3g} before"
    return Finding(
        message=f"In late groups {shift.after:.0%} of the {KINDS[kind]} differ from the rest, {shift.before:.0%} "
        f"{parts.where}{gain}{told}.",
        onset=step,
        confidence=HIGH if parts.better is False else MEDIUM,
        evidence=(Evidence(metric=f"distinct {kind}", value=shift.after, limit=limit, step=step),),
    )


def _are_gradings(samples: Samples) -> bool:
    """Whether groups of one text are paid differently, as by a judge that is asked again: a verifier never does."""
    if "reward" not in samples or "text" not in samples:
        return False
    rows = select_complete(samples, "group", "reward")
    keys = hash_columns(hash_draws(rows).astype(np.int64), rows.codes["text"])
    _, owner, sizes = np.unique(keys, return_inverse=True, return_counts=True)
    paid = hash_columns(owner.astype(np.int64), np.unique(rows["reward"], return_inverse=True)[1].astype(np.int64))
    graded = np.bincount(owner[np.unique(paid, return_index=True)[1]], minlength=len(sizes))[sizes >= SMALLEST]
    return len(graded) > 0 and bool((graded > 1).mean() > JUDGED_ANEW)


def _from_the_start(samples: Samples, kind: str, limit: float) -> Answer:
    """Long texts that are the same all along: sampling itself does not vary, or the collapse came before.

    Where equal texts of a group are paid differently and no step is known, rows may be gradings of one completion.
    """
    whole = average_by_draw(select_latest(samples, "variety"), "variety")
    outcome = samples.outcome or ("reward" if "reward" in samples else None)
    if kind != "text" or whole is None or outcome is None or "length" not in samples:
        return None
    if find_steps(samples) is None and whole.mean <= NONE and _are_gradings(samples):
        return CannotTell(("step",), "one text that is graded several times looks the same")
    told = f"{whole.mean:.0%} of the texts differ from the rest" if whole.mean > NONE else "all texts are identical"
    return Finding(
        message=f"In groups {told}, though they are of some length and {outcome} is not at its top: sampling is "
        "greedy, or repeats its seed.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="distinct text", value=whole.mean, limit=limit),),
    )
