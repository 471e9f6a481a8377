"""Judges the updates that were read while a trainer was probed."""

from __future__ import annotations

from collections import Counter, defaultdict

import msgspec

from weaklink.base.evidence.outcome import Outcome, Rung
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.rollout_packing import unpack_rollout
from weaklink.base.finding import MEDIUM, Finding
from weaklink.judge.diagnosis.causes import fold_consequences, order_findings, place_finding
from weaklink.judge.diagnosis.engine import judge_rollout
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.rules._registry import Rule


def judge_readings(outcome: Outcome, settings: RuleSettings) -> Outcome:
    """The outcome with what its read updates prove, causes first, and which rules found nothing in them."""
    proven: dict[str, tuple[Rule, Finding]] = {}
    checked: dict[str, None] = {}
    for rung in outcome.read:
        found, clean = _judge_rung(rung, settings)
        checked |= dict.fromkeys(clean)
        for rule, finding in found:
            proven.setdefault(rule.code, (rule, _say_where(finding, outcome, rung)))
    placed = order_findings([place_finding(finding, rule) for rule, finding in proven.values()])
    return msgspec.structs.replace(
        outcome,
        proven=tuple(fold_consequences(placed)),
        checked=tuple(code for code in checked if code not in proven),
    )


def _judge_rung(rung: Rung, settings: RuleSettings) -> tuple[list[tuple[Rule, Finding]], list[str]]:
    """What most of the updates show that a rule could judge, one finding a rule, and the rules that most pass.

    A loss asks for the same in each update. A finding of low confidence proves nothing: where an estimator is not
    known, another one may be right as well. But what is in doubt is not right either: where some rule finds a fault in
    an update, others of the same link clear nothing by it.
    """
    links = {rule.code: rule.link for rule in settings.rules((Rollout,))}
    fired: dict[str, list[tuple[Rule, Finding]]] = defaultdict(list)
    clean = Counter[str]()
    for packed in (packed for trial in rung.trials for packed in trial.readings):
        answers = judge_rollout(unpack_rollout(packed), settings)
        doubted = {rule.link for rule, _ in answers.fired}
        clean.update(code for code in answers.clean if links[code] not in doubted)
        for code, pair in {rule.code: (rule, finding) for rule, finding in answers.fired}.items():
            fired[code].append(pair)
    proven = []
    for code, found in fired.items():
        sure = [pair for pair in found if pair[1].confidence >= MEDIUM]
        if 2 * len(sure) > len(found) + clean[code]:
            proven.append(max(sure, key=lambda pair: (pair[1].severity, pair[1].confidence)))
    return proven, [code for code, count in clean.items() if count > len(fired.get(code, ()))]


def _say_where(finding: Finding, outcome: Outcome, rung: Rung) -> Finding:
    """The finding with the environment in which the update was read, and the command that reads it again."""
    message = f"Read from its updates on {rung.environment}: {finding.message[:1].lower()}{finding.message[1:]}"
    return msgspec.structs.replace(finding, message=message, onset=None, verify=outcome.again(rung))
