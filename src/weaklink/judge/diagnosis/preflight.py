"""Before training: judges an environment, its configuration and, where there is one, a model, from outside in."""

from __future__ import annotations

import msgspec

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.configured import complete_config
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.base.finding import Finding, Level
from weaklink.judge.diagnosis.causes import fold_consequences, order_findings, place_finding
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.diagnosis.engine import ask_rules, find_first_break
from weaklink.judge.diagnosis.settings import RuleSettings

ENOUGH_CLEAN = 20
"""A verdict of healthy needs at least this many rules that found nothing."""

ENOUGH_EPISODES = 5
"""Whole episodes of random play that it needs, as the rules on returns do, beside some of another policy."""


def judge_survey(survey: Survey, model: ModelCheck | None = None, settings: RuleSettings | None = None) -> Diagnosis:
    """Every finding, outside in: environment, observation, action, then reward, then task, then the trainer's own."""
    evidence = {Survey: survey, Config: complete_config(survey)}
    if model is not None:
        evidence[ModelCheck] = model
    answers = ask_rules(settings or RuleSettings(), evidence, "")
    placed = [place_finding(_fill_experiment(finding, survey.name), rule) for rule, finding in answers.fired]
    findings = tuple(fold_consequences(order_findings(placed)))
    unseen = _name_unseen(survey)
    verdict = _decide_verdict(findings, answers.clean, unseen)
    return Diagnosis(
        target=survey.name,
        verdict=verdict,
        first_break=find_first_break(findings),
        findings=findings,
        clean=tuple(answers.clean),
        blind=answers.blind,
        unable=answers.unable,
        notes=(*survey.notes, *(() if model is None else _list_remarks(model))),
        framework=str(survey.facts.get("framework", "")),
        advice=(f"Too little was seen to call it healthy: {unseen}. Give it more time: --seconds.",)
        if verdict is Verdict.UNCLEAR and unseen
        else (),
    )


def _list_remarks(model: ModelCheck) -> tuple[str, ...]:
    """What could not be looked at in a model, and why."""
    return (*model.notes, *(f"model, {fault.stage}: {fault.message}" for fault in model.faults))


def _fill_experiment(finding: Finding, environment: str) -> Finding:
    """The finding with the experiment spelled for this environment, fit to be copied."""
    spelled = finding.verify.replace("weaklink preflight ENV", f"weaklink preflight {environment}")
    return msgspec.structs.replace(finding, verify=spelled)


def _decide_verdict(findings: tuple[Finding, ...], clean: list[str], unseen: str) -> Verdict:
    if any(finding.severity >= Level.WARN for finding in findings):
        return Verdict.BROKEN
    return Verdict.HEALTHY if len(clean) >= ENOUGH_CLEAN and not unseen else Verdict.UNCLEAR


def _name_unseen(survey: Survey) -> str:
    """What a survey must have seen before an environment can be called healthy, and has not; empty where it has."""
    random = survey.plays.get(RANDOM)
    whole = 0 if random is None else random.episodes
    if whole < ENOUGH_EPISODES:
        return (
            f"random play came to the end of {whole} episode{'' if whole == 1 else 's'}, of {ENOUGH_EPISODES} at least"
        )
    if not set(survey.baselines) - {RANDOM}:
        return "no policy but random play came to the end of an episode"
    return "" if survey.comparisons else "the same seed was never played twice"


def cut_after_break(diagnosis: Diagnosis) -> Diagnosis:
    """The diagnosis up to its first break: what lies further in may follow from it and can wait."""
    broke = diagnosis.first_break
    if broke is None:
        return diagnosis
    shown = tuple(finding for finding in diagnosis.findings if _belongs(finding, broke.code, broke.link.order))
    left = sorted(
        {finding.code for finding in diagnosis.findings if finding.severity >= Level.WARN} - _list_codes(shown)
    )
    if not left:
        return msgspec.structs.replace(diagnosis, findings=shown)
    more = (
        f"Further in there is more to see to ({', '.join(left)}). Mend this first, then look again: it may follow from "
        "it. --all shows everything at once."
    )
    return msgspec.structs.replace(diagnosis, findings=shown, advice=(*diagnosis.advice, more))


def _belongs(finding: Finding, code: str, order: int) -> bool:
    if finding.severity < Level.WARN:
        return finding.link is not None and finding.link.order <= order
    return code in (finding.code, finding.consequence_of)


def _list_codes(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.code for finding in findings}
