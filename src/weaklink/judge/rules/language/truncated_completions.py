from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Samples
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST, find_limit_held, has_improved, measure_during
from weaklink.judge.rules._draws import average_by_draw
from weaklink.judge.rules._samples import LIKELY, SampleSplit, find_onset, select_settled, split
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SHORTER = 0.9
"""Of the length cap: a truncated completion is as long as the cap, so clearly shorter ones ended by themselves."""

COSTLY, NOTHING, SOMETHING = 0.3, 0.05, 0.3
"""The share of truncated completions that is an alarm where they are paid nothing: at most so much of the range of the
reward above its lowest, while others get at least so much."""

NEARLY_ALL = 0.8
"""The share of truncated completions from which the confidence is high."""


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
    """Completions are truncated before they end, so unfinished answers are graded.

    ## What it sees
    The share of completions truncated at the length cap stays above 0.5 until the end of the log and the run does not
    improve (above 0.2, or improving nevertheless: information; not where none ever ended, from the first step on). In
    samples 0.3 is an alarm where truncated completions are paid nothing, others are paid, and the share does not fall.
    Where nearly all count as truncated although they are clearly shorter than the cap, the cap is not the cause: the
    EOS token is not recognised. In samples the same is measured at the end of training, or over all of them where the
    share does not change or training steps are unknown. Where rows do not say what ended them, a length in tokens that
    is the longest and by far the commonest is the cap; else texts count that break off in mid-sentence or inside a tag,
    where these are of about one length and the longest.

    ## Why it is bad
    A truncated completion has no final answer, so it earns nothing, however good its beginning. Groups in which all are
    truncated have no spread, the gradient is zero, and the reward function gets the blame.

    ## What to do
    1. Raise the cap on completion length, or ask for shorter answers in the prompt.
    2. If lengths stay below the cap: give the trainer every end-of-sequence token of the model and its chat template.
    3. Decide what a truncated completion is worth: mask it out of the loss, or penalise it, but never grade half an
       answer.

    ## How to prove it
    Print the last ten tokens of twenty completions: truncated ones stop in mid-sentence, and unrecognised ones end with
    an EOS token that the trainer does not know.

    ## When it is wrong
    Training for long reasoning may hit its cap for a while and shorten later; a share that falls again is ignored.

    ## References
    autocontext issue #1067 (length cap); trl pull request #7039 (second end-of-sequence token).
    """
    if isinstance(run, Samples):
        return _in_samples(run, alarm, notice, unended)
    cut = run["task.truncated_fraction"]
    if len(cut) < FEWEST:
        return CannotTell((cut.name,), f"fewer than {FEWEST} points")
    found = find_limit_held(cut.values, alarm, notice)
    if found is None:
        return None
    held, limit = found
    step, cap = float(cut.steps[held.start]), _find_cap(run)
    length = measure_during(run, "task.completion_length", cut, held.start)
    seen = Truncation(
        share=held.level,
        limit=limit,
        shares=Evidence(metric=cut.name, value=held.level, limit=limit, step=step),
        lengths=_compare_lengths(length, cap, held.level, unended, step),
        since=f" from step {step:,.0f} on",
        where="by the length cap" if cap is None else f"at {cap:,.0f} tokens",
        learns=has_improved(run) and float(cut.lows.min()) < 1.0,  # where none ever ended, none was ever graded whole
    )
    return seen.report(alarm, onset=step, onset_within=cut.interval)


@dataclass(frozen=True)
class Truncation:
    """The share of truncated completions; `lengths` is given where they are clearly shorter than the cap."""

    share: float
    limit: float
    shares: Evidence
    lengths: Evidence | None
    since: str
    where: str
    learns: bool

    def report(self, alarm: float, *, onset: float | None, onset_within: float) -> Finding:
        """The finding: a warning above the alarm in a run that does not learn, or where no end is recognised."""
        early = self.lengths
        where = self.where if early is None else _describe_early(early)
        quiet = self.limit < alarm or (self.learns and early is None)
        return Finding(
            message=f"{self.share:.0%} of the completions count as truncated{self.since} (limit {self.limit:.0%}), "
            f"{where}.",
            onset=onset,
            onset_within=onset_within,
            level=Level.INFO if quiet else Level.WARN,
            link=Link.TASK if early is None else Link.DATA,
            confidence=HIGH if early is not None or self.share > NEARLY_ALL else MEDIUM,
            evidence=(self.shares,) if early is None else (self.shares, early),
        )


def _describe_early(lengths: Evidence) -> str:
    return (
        f"although they are {lengths.value:,.0f} tokens long and the cap is {lengths.limit:,.0f}: their EOS token is "
        "not recognised"
    )


def _compare_lengths(
    length: float | None, cap: float | None, share: float, unended: float, step: float
) -> Evidence | None:
    """Mean length and cap, where nearly all count as truncated although their mean is clearly below the cap."""
    if cap is None or length is None or share < unended or length >= SHORTER * share * cap:
        return None
    return Evidence(metric="task.completion_length", value=length, limit=cap, step=step)


def _find_cap(run: Run) -> float | None:
    """The longest completion allowed: as configured, else the longest ever seen."""
    stated = run.config.number("max_completion_length")
    if stated is not None and stated > 0:
        return stated
    longest = run.get("task.completion_length_max")
    return None if longest is None or level(longest.values) <= 0 else float(longest.highs.max())


def _in_samples(samples: Samples, alarm: float, notice: float, unended: float) -> Answer:
    parts = split(samples, "truncated")
    shift = None if parts is None else parts.shift("truncated")
    late = select_settled(samples, "truncated")
    share = average_by_draw(late, "truncated")
    if share is None:
        return CannotTell(("truncated",), "too few rows, or too few prompts")
    if share.mean - LIKELY * share.error <= notice:
        return None
    if share.mean - LIKELY * share.error > COSTLY and _is_costly(late) and not (shift is not None and shift.fell):
        alarm = min(alarm, COSTLY)
    limit = alarm if share.mean > alarm else notice
    step = find_onset(samples, "truncated", shift) if shift is not None and shift.rose else None
    seen = Truncation(
        share=share.mean,
        limit=limit,
        shares=Evidence(metric="truncated", value=share.mean, limit=limit, step=step),
        lengths=_find_early_end(late) if share.mean >= unended else None,
        since="",
        where="by the length cap",
        learns=parts is not None and _learns(parts),
    )
    return seen.report(alarm, onset=step, onset_within=0.0)


def _is_costly(late: Samples) -> bool:
    """Whether truncated completions are paid nothing, and others are paid."""
    known = np.isfinite(late["reward"]) & np.isfinite(late["truncated"]) if "reward" in late else np.zeros(0, bool)
    if not known.any():
        return False
    reward, cut = late["reward"][known], late["truncated"][known] > 0.5
    low, high = float(reward.min()), float(reward.max())
    if high == low or not cut.any() or cut.all():
        return False
    means = [float((reward[side].mean() - low) / (high - low)) for side in (cut, ~cut)]
    return means[0] <= NOTHING and means[1] >= SOMETHING


def _learns(parts: SampleSplit) -> bool:
    """Whether the reward or any outcome rises."""
    moved = (*parts.measures.values(), parts.shift("reward"))
    return any(each is not None and each.rose and each.sizeable for each in moved)


def _find_early_end(late: Samples) -> Evidence | None:
    """Median length and cap of the truncated completions, where they are clearly shorter than the cap."""
    if late.unit != "tokens" or "max_tokens" not in late or "length" not in late:
        return None
    cut = (late["truncated"] > 0.5) & np.isfinite(late["length"]) & np.isfinite(late["max_tokens"])
    if not cut.any():
        return None
    length, cap = float(np.median(late["length"][cut])), float(np.median(late["max_tokens"][cut]))
    return Evidence(metric="length", value=length, limit=cap) if length < SHORTER * cap else None
