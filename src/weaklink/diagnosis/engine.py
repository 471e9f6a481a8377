"""Asks every rule and makes a diagnosis of the answers."""

from __future__ import annotations

from collections import defaultdict

from weaklink.diagnosis.causes import Placed, folded, in_order, place
from weaklink.diagnosis.diagnosis import Diagnosis, FirstBreak, Verdict, Wish
from weaklink.diagnosis.settings import Settings
from weaklink.diagnosis.tiers import next_tiers
from weaklink.evidence.config import Config
from weaklink.evidence.metrics import METRICS
from weaklink.evidence.run import Run
from weaklink.finding import Answer, CannotTell, Finding, Level
from weaklink.rules._registry import Rule

ENOUGH_JUDGED = 5
"""A verdict of healthy needs at least this many rules that could judge."""


def diagnose(run: Run, settings: Settings | None = None) -> Diagnosis:
    """Judges one run.

    Args:
        run: what was logged, with its hyper-parameters.
        settings: which rules to ask and with which thresholds; all, with their defaults, if left out.

    Returns:
        The diagnosis. A rule that fails itself is listed under `unable`; it never raises out of here.
    """
    chosen = settings or Settings()
    fired: list[Placed] = []
    clean: list[str] = []
    blind: dict[str, tuple[str, ...]] = {}
    unable: dict[str, str] = {}
    for rule in chosen.rules():
        try:
            answer = _ask(rule, run, chosen)
        except Exception as fault:  # a rule's own fault must not take the diagnosis down with it
            unable[rule.code] = f"{type(fault).__name__}: {fault}"
            continue
        if isinstance(answer, CannotTell):
            blind[rule.code] = answer.missing
        elif isinstance(answer, Finding):
            fired.append(place(answer, rule, run))
        else:
            clean.append(rule.code)
    findings = tuple(folded(in_order(fired)))
    return Diagnosis(
        target=run.source or run.name,
        verdict=_verdict(findings, clean, run),
        first_break=_first_break(findings),
        findings=findings,
        clean=tuple(clean),
        blind=blind,
        unable=unable,
        wishes=_wishes(blind),
        advice=next_tiers(run, findings, clean),
        unknown_keys=tuple(run.unknown),
        notes=run.notes,
        framework=run.framework,
        steps=run.last_step,
    )


def _ask(rule: Rule, run: Run, settings: Settings) -> Answer:
    evidence: Run | Config = run.config if rule.on is Config else run
    if rule.on is Config and not run.config:
        return CannotTell(("hyper-parameters",), "none were found beside or inside the log")
    return rule.ask(evidence, settings.thresholds.get(rule.code))


def _verdict(findings: tuple[Finding, ...], clean: list[str], run: Run) -> Verdict:
    if any(finding.severity >= Level.WARN for finding in findings):
        return Verdict.BROKEN
    learns = run.performance is not None and run.performance.improved
    return Verdict.HEALTHY if learns and len(clean) >= ENOUGH_JUDGED else Verdict.UNCLEAR


def _first_break(findings: tuple[Finding, ...]) -> FirstBreak | None:
    first = next((one for one in findings if one.severity >= Level.WARN and one.consequence_of is None), None)
    if first is None or first.link is None:
        return None
    return FirstBreak(first.link, first.code, first.onset)


def _wishes(blind: dict[str, tuple[str, ...]]) -> tuple[Wish, ...]:
    """Metrics to log, those that would let most rules judge first."""
    unlocked: dict[str, list[str]] = defaultdict(list)
    for code, missing in blind.items():
        if len(missing) == 1:
            unlocked[missing[0]].append(code)
    wishes = []
    for metric, codes in sorted(unlocked.items(), key=lambda item: -len(item[1])):
        known = METRICS.get(metric.partition(" or ")[0])
        if known is not None and known.how:
            wishes.append(Wish(metric, tuple(codes), known.how))
    return tuple(wishes)
