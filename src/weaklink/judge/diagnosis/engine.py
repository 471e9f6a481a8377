"""Asks every rule and makes a diagnosis of the answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.gaps import BUDGET
from weaklink.base.evidence.metrics import METRICS
from weaklink.base.evidence.run import Run
from weaklink.base.finding import Answer, CannotTell, Finding, Level
from weaklink.judge.diagnosis.causes import (
    fold_consequences,
    is_far_off,
    order_findings,
    place_finding,
    place_proof,
    raise_suspicions,
)
from weaklink.judge.diagnosis.diagnosis import Diagnosis, FirstBreak, MetricWish, Verdict
from weaklink.judge.diagnosis.learning import has_learned
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.diagnosis.surveyed import place_surveyed
from weaklink.judge.diagnosis.tiers import list_next_tiers
from weaklink.judge.rules._registry import Rule

if TYPE_CHECKING:
    from weaklink.base.evidence.fleet import Fleet
    from weaklink.base.evidence.rollout import Rollout

POINTLESS = {
    "language": frozenset({"reward.episode_return", "task.episode_length", "evaluation.return"}),
    "off-policy": frozenset(
        {"policy.kl", "policy.clip_fraction", "value.explained_variance", "returns.advantage_abs_max"}
    ),
}
"""Metrics that a family of algorithms does not have."""

MOST_NAMED = 5

FAR_OFF = 3.0
"""Times its limit: a suspicious setting beyond that withholds a verdict of healthy, whatever the return did."""

ENOUGH_JUDGED = 5
"""A verdict of healthy needs at least this many rules that could judge."""


def diagnose(run: Run, settings: RuleSettings | None = None) -> Diagnosis:
    """Judges one run.

    Args:
        run: what was logged, with its hyper-parameters.
        settings: which rules to ask and with which thresholds; all, with their defaults, if left out.

    Returns:
        The diagnosis. A rule that fails itself is listed under `unable`; it never raises out of here.
    """
    chosen = settings or RuleSettings()
    ranks = {} if run.ranks is None else {type(run.ranks): run.ranks}
    answers = ask_rules(chosen, {Run: run, Config: run.settings, **ranks}, run.family)
    proofs = list_proven(run, chosen)
    answers.clean.extend(list_checked(run, chosen))
    placed = raise_suspicions([place_finding(finding, rule, run) for rule, finding in answers.fired])
    findings = tuple(
        fold_consequences(
            order_findings(
                [*place_surveyed(run, chosen), *(place_proof(finding, rule, run) for rule, finding in proofs), *placed]
            )
        )
    )
    return Diagnosis(
        target=run.source or run.name,
        verdict=_decide_verdict(findings, answers, run),
        first_break=find_first_break(findings),
        findings=findings,
        clean=tuple(answers.clean),
        blind=answers.blind,
        unable=answers.unable,
        wishes=list_wishes(
            {code: lacks for code, lacks in answers.blind.items() if not _is_unmeasured(lacks, run)}, run.family
        ),
        advice=list_next_tiers(run, findings, answers.clean),
        unknown_keys=tuple(key for key in run.unknown if key not in run.unused),
        notes=(
            *run.notes,
            *_note_unused_keys(run),
            *_note_left_out(run),
            *_note_unread(run),
            *(() if run.surveyed is None else run.surveyed.notes),
        ),
        damaged_lines=dict(run.damaged_lines),
        framework=run.framework,
        steps=run.last_step,
    )


def judge_rollout(rollout: Rollout, settings: RuleSettings | None = None) -> RuleAnswers:
    """Judges one look inside of the loop by the rules on rollouts; every finding has the step of the look."""
    answers = ask_rules(settings or RuleSettings(), {type(rollout): rollout}, rollout.family)
    answers.fired = [
        (rule, finding if finding.onset is not None else msgspec.structs.replace(finding, onset=rollout.step))
        for rule, finding in answers.fired
    ]
    return answers


def list_proven(run: Run, settings: RuleSettings) -> list[tuple[Rule, Finding]]:
    """What was found inside of the loop, by the rules that are asked."""
    if not run.proven:
        return []
    rules = _list_loop_rules(settings)
    return [(rules[finding.code], finding) for finding in run.proven if finding.code in rules]


def list_checked(run: Run, settings: RuleSettings) -> list[str]:
    """The codes that were clean inside of the loop, of the rules that are asked."""
    if not run.checked:
        return []
    ill = {finding.code for finding in run.proven}
    asked_for = _list_loop_rules(settings)
    return [code for code in run.checked if code in asked_for and code not in ill]


def _list_loop_rules(settings: RuleSettings) -> dict[str, Rule]:
    from weaklink.base.evidence.rollout import Rollout  # many classes, which a log alone does not need

    return {rule.code: rule for rule in settings.rules((Rollout,))}


def diagnose_fleet(fleet: Fleet, target: str, settings: RuleSettings | None = None) -> Diagnosis | None:
    """Judges several runs as a whole: their seeds and how they were evaluated. None where nothing is to be said."""
    answers = ask_rules(settings or RuleSettings(), {type(fleet): fleet}, "")
    if not answers.fired:
        return None
    findings = tuple(finding for _, finding in answers.fired)
    broken = any(finding.severity >= Level.WARN for finding in findings)
    return Diagnosis(
        target=target,
        verdict=Verdict.BROKEN if broken else Verdict.UNCLEAR,
        first_break=find_first_break(findings),
        findings=findings,
        clean=tuple(answers.clean),
        blind=answers.blind,
        unable=answers.unable,
    )


class RuleAnswers(msgspec.Struct):
    """What each rule answered: fired, clean, could not tell (and why), or failed itself."""

    fired: list[tuple[Rule, Finding]] = []
    clean: list[str] = []
    blind: dict[str, tuple[str, ...]] = {}
    unable: dict[str, str] = {}


def ask_rules(
    settings: RuleSettings, evidence: Mapping[type, Any], family: str, *, closest: bool = False
) -> RuleAnswers:
    """Every rule's answer on the evidence that it reads; rules for other evidence or other families are not asked.

    Where a rule reads several kinds, a fault in any of them counts; with `closest`, the first that can tell decides.
    """
    answers = RuleAnswers()
    for rule in settings.rules(evidence):
        seen = rule.pick(evidence)
        if rule.of and family != rule.of and all(map(rule.missing, seen)):
            continue
        try:
            answer, thing = _ask_rule(rule, seen, settings.thresholds.get(rule.code), closest=closest)
        except Exception as fault:  # a rule's own fault must not take the diagnosis down with it
            answers.unable[rule.code] = f"{type(fault).__name__}: {fault}"
            continue
        if isinstance(answer, CannotTell):
            answers.blind[rule.code] = _list_lacking(answer, thing)
        elif answer is None:
            answers.clean.append(rule.code)
        else:
            fired = answer if isinstance(answer, tuple) else (answer,)
            answers.fired.extend((rule, finding) for finding in fired)
    return answers


def _ask_rule(
    rule: Rule, seen: list[Any], thresholds: Mapping[str, Any] | None, *, closest: bool
) -> tuple[Answer, Any]:
    """What a rule says of all that it reads, and of which of it: a fault, else clean, else that it cannot tell."""
    given = [(rule.ask(thing, thresholds), thing) for thing in seen]
    able = [pair for pair in given if not isinstance(pair[0], CannotTell)]
    if closest:
        return (able or given)[0]
    ill = [pair for pair in able if pair[0] is not None]
    return (ill or able or given)[0]


def _list_lacking(answer: CannotTell, evidence: Any) -> tuple[str, ...]:
    """What a rule lacked; a metric that is there but does not serve, with the reason."""
    there = isinstance(evidence, Run | Config)
    if isinstance(evidence, Run) and _is_unmeasured(answer.missing, evidence):
        return tuple(f"{name}: not measured over a wide stretch" for name in answer.missing)
    return tuple(
        f"{name}: {answer.why}" if answer.why and there and name in evidence else name for name in answer.missing
    )


def _is_unmeasured(missing: Sequence[str], run: Run) -> bool:
    """Whether what a rule lacks is there, with a hole in it that a monitor left."""
    names = {name for each in missing for name in each.partition(":")[0].split(" or ")}
    return bool(names & run.holes.keys())


def _note_left_out(run: Run) -> Iterator[str]:
    """One note for each reason for which a monitor left so much out that metrics could not be judged."""
    for why in dict.fromkeys(hole.why for hole in run.holes.values()):
        holes = {name: hole for name, hole in run.holes.items() if hole.why == why}
        widest = max(holes.values(), key=lambda hole: hole.end - hole.start)
        named = ", ".join(list(holes)[:MOST_NAMED]) + (
            f" and {len(holes) - MOST_NAMED} more" * (len(holes) > MOST_NAMED)
        )
        reason = (
            f"the monitor's budget left {widest.updates} updates unmeasured"
            if why == BUDGET
            else f"in the monitor, {why}"
        )
        cure = "; attach with a larger budget to measure more" if why == BUDGET else ""
        yield f"{reason} between steps {widest.start:g} and {widest.end:g}, so these were not judged: {named}{cure}"


def _note_unread(run: Run) -> Iterator[str]:
    """One note on what could not be read of the updates of a loop written by hand."""
    if run.unread:
        lacking = sum(map(bool, run.readings))
        shown = "; ".join(run.unread[:MOST_NAMED])
        yield (
            f"of {len(run.readings)} updates that were looked at, {lacking} could not be read whole, so what they "
            f"learn was not checked and the run is not called healthy: {shown}"
        )


def _note_unused_keys(run: Run) -> tuple[str, ...]:
    """One note on the keys that say what another key said already."""
    if not run.unused:
        return ()
    shown = ", ".join(f"{key} ({used})" for key, used in list(run.unused.items())[:MOST_NAMED])
    more = f" and {len(run.unused) - MOST_NAMED} more" if len(run.unused) > MOST_NAMED else ""
    return (f"not used, because another key gave the same metric: {shown}{more}",)


def _decide_verdict(findings: tuple[Finding, ...], answers: RuleAnswers, run: Run) -> Verdict:
    if any(finding.severity >= Level.WARN for finding in findings):
        return Verdict.BROKEN
    odd = any("suspect" in rule.marks and is_far_off(finding, FAR_OFF) for rule, finding in answers.fired)
    earned = has_learned(run) and len(answers.clean) >= ENOUGH_JUDGED and not run.unread and not odd
    return Verdict.HEALTHY if earned else Verdict.UNCLEAR


def find_first_break(findings: tuple[Finding, ...]) -> FirstBreak | None:
    """The first alarm that is nobody's consequence."""
    first = next((one for one in findings if one.severity >= Level.WARN and one.consequence_of is None), None)
    if first is None or first.link is None:
        return None
    return FirstBreak(first.link, first.code, first.onset)


def list_wishes(blind: dict[str, tuple[str, ...]], family: str) -> tuple[MetricWish, ...]:
    """Metrics to log, those that would let most rules judge first, without what the algorithm does not have."""
    unlocked: dict[str, list[str]] = defaultdict(list)
    for code, missing in blind.items():
        metric = missing[0].partition(" or ")[0] if len(missing) == 1 else ""
        if metric in METRICS and metric not in POINTLESS.get(family, frozenset()):
            unlocked[metric].append(code)
    wanted = sorted(unlocked.items(), key=lambda item: -len(item[1]))
    return tuple(
        MetricWish(metric, tuple(codes), METRICS[metric].how) for metric, codes in wanted if METRICS[metric].how
    )
