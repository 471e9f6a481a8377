"""What an audit shows beside its findings, as plain numbers: every view draws these and nothing else."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from weaklink.base.evidence.samples import COMPONENT, STYLE, Samples
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.verifier import VerifierAttempt, VerifierCheck, group_by_kind
from weaklink.base.stats.correlation import correlation, correlation_within
from weaklink.collect.samples.groups import SampleGroups, summarise_groups
from weaklink.collect.samples.trends import OutcomePeak, SampleTrend, compute_trends, find_peak

FEATURES = ("length", "repetition", "density", "refusal", "tool_calls", "turns")
"""Columns that a reward should not follow of itself; those of style come on top."""

MOST_ROWS = 100_000
"""Correlations are worked out on this many rows, chosen at random; more would change the third digit at most."""


class RewardComponent(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the reward, or the whole of it.

    `share` is how much of the spread of the reward goes with it, from 0 to 1; `with_outcome` its rank correlation with
    what is really good.
    """

    name: str
    rows: int
    mean: float
    spread: float
    share: float | None = None
    with_outcome: float | None = None


class RewardLeaning(msgspec.Struct, frozen=True, kw_only=True):
    """How closely the reward follows a feature: over all rows, and among rows of one outcome."""

    feature: str
    raw: float
    at_equal_outcome: float | None = None


class AttemptSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Answers of one kind that a verifier was asked about.

    `lowest` and `highest` are what they got, from 0, a plain wrong answer, to 1, the plain right one; None where the
    verifier gave no number.
    """

    family: str
    kind: str
    attempts: int
    failed: int
    lowest: float | None = None
    highest: float | None = None


class AuditTables(msgspec.Struct, frozen=True, kw_only=True):
    """All tables of an audit; `outcome` names the column that says what is really good, None where none does."""

    rows: int
    used: int
    unit: str
    outcome: str | None = None
    components: tuple[RewardComponent, ...] = ()
    trends: tuple[SampleTrend, ...] = ()
    groups: SampleGroups | None = None
    leanings: tuple[RewardLeaning, ...] = ()
    peak: OutcomePeak | None = None


def make_tables(samples: Samples) -> AuditTables:
    """Works all of them out."""
    few = _thin_samples(samples)
    with np.errstate(over="ignore", invalid="ignore"):
        return AuditTables(
            rows=samples.rows,
            used=len(samples),
            unit=samples.unit,
            outcome=samples.outcome,
            components=_list_components(samples, few),
            trends=compute_trends(samples),
            groups=summarise_groups(samples),
            leanings=_find_leanings(few),
            peak=find_peak(samples),
        )


def _read_outcome(samples: Samples) -> Array | None:
    return None if samples.outcome is None else samples[samples.outcome]


def _thin_samples(samples: Samples) -> Samples:
    if len(samples) <= MOST_ROWS:
        return samples
    return samples.where(np.sort(np.random.default_rng(0).choice(len(samples), MOST_ROWS, replace=False)))


def _list_components(samples: Samples, few: Samples) -> tuple[RewardComponent, ...]:
    """The whole reward first, then its parts."""
    parts = (COMPONENT + name for name, _ in samples.columns(COMPONENT))
    return tuple(_describe_component(name, samples[name], few) for name in ("reward", *parts) if name in samples)


def _describe_component(name: str, column: Array, few: Samples) -> RewardComponent:
    known = column[np.isfinite(column)]
    outcome = _read_outcome(few)
    return RewardComponent(
        name=name.removeprefix(COMPONENT),
        rows=len(known),
        mean=float(known.mean()),
        spread=float(known.std()),
        share=_measure_share(few[name], few["reward"]) if name != "reward" and "reward" in few else None,
        with_outcome=None if outcome is None else correlation(few[name], outcome),
    )


def _measure_share(column: Array, whole: Array) -> float | None:
    """How much of the spread of the whole goes with this part."""
    both = np.isfinite(column) & np.isfinite(whole)
    if both.sum() < 2 or not column[both].std() * whole[both].std() > 0:
        return None
    return float(np.corrcoef(column[both], whole[both])[0, 1] ** 2)


def _find_leanings(samples: Samples) -> tuple[RewardLeaning, ...]:
    """The features that the reward follows, the closest first."""
    if "reward" not in samples:
        return ()
    reward, outcome = samples["reward"], _read_outcome(samples)
    style = (STYLE + name for name, _ in samples.columns(STYLE))
    found = []
    for name in (*FEATURES, *style):
        raw = correlation(samples[name], reward) if name in samples else None
        if raw is not None:
            fixed = None if outcome is None else correlation_within(samples[name], reward, outcome)
            found.append(RewardLeaning(feature=name, raw=raw, at_equal_outcome=fixed))
    return tuple(sorted(found, key=_rank_leaning))


def _rank_leaning(leaning: RewardLeaning) -> float:
    fixed = leaning.at_equal_outcome
    return -abs(leaning.raw if fixed is None else fixed)


def summarise_attempts(check: VerifierCheck) -> tuple[AttemptSummary, ...]:
    """The kinds of answers that a verifier was asked about, attacks and other forms apart."""
    families = dict.fromkeys(attempt.family for attempt in check.attempts)
    return tuple(
        _summarise_kind(family, kind, attempts)
        for family in families
        for kind, attempts in group_by_kind(check.of(family)).items()
    )


def _summarise_kind(family: str, kind: str, attempts: list[VerifierAttempt]) -> AttemptSummary:
    shares = [attempt.share for attempt in attempts if math.isfinite(attempt.share)]
    return AttemptSummary(
        family=family,
        kind=kind,
        attempts=len(attempts),
        failed=sum(bool(attempt.failed) for attempt in attempts),
        lowest=min(shares, default=None),
        highest=max(shares, default=None),
    )
