"""A diagnosis as data: the JSON contract, described in docs/json.md."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from weaklink._version import __version__
from weaklink.base.finding import Evidence, Finding
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.show.wording import symptom_walk
from weaklink.verbs.targets import Failure

SCHEMA = 1


def line(
    result: Diagnosis | Failure, command: str = "diagnose", *, symptom: Symptom | None = None, runs: int | None = None
) -> str:
    """One result as one line of JSON; `runs` is given where it is about several runs taken together."""
    body = failure_document(result) if isinstance(result, Failure) else document(result)
    if symptom is not None and isinstance(result, Diagnosis):
        body["symptom"] = _symptom(symptom, result)
    if runs is not None:
        body["runs"] = runs
    return encoded({**envelope(command), **body})


def envelope(command: str) -> dict[str, Any]:
    """What every document begins with."""
    return {"weaklink": __version__, "schema": SCHEMA, "command": command}


def encoded(document: dict[str, Any]) -> str:
    """A document as one line of valid JSON; a number that is not finite becomes a string."""
    return msgspec.json.encode(_valid(document)).decode() + "\n"


def failure_document(failure: Failure) -> dict[str, Any]:
    """A target that could not be read."""
    return {"target": failure.target, "error": failure.message}


def document(diagnosis: Diagnosis) -> dict[str, Any]:
    """A diagnosis under the keys of the contract, those it promises first."""
    broke = diagnosis.first_break
    return {
        "target": diagnosis.target,
        "verdict": diagnosis.verdict.value,
        "first_break": None
        if broke is None
        else {"link": broke.link.value, "code": broke.code, "step": _step(broke.step)},
        "findings": [finding_document(finding) for finding in diagnosis.findings],
        "clean": list(diagnosis.clean),
        "blind": {code: list(missing) for code, missing in diagnosis.blind.items()},
        "unknown_keys": list(diagnosis.unknown_keys),
        "coverage": {"judged": diagnosis.judged, "asked": diagnosis.asked},
        "wishes": [{"metric": one.metric, "unlocks": list(one.unlocks), "how": one.how} for one in diagnosis.wishes],
        "advice": list(diagnosis.advice),
        "notes": list(diagnosis.notes),
        "unable": dict(diagnosis.unable),
        "framework": diagnosis.framework,
        "steps": _step(diagnosis.steps),
    }


def finding_document(finding: Finding) -> dict[str, Any]:
    """One finding under the keys of the contract."""
    return {
        "code": finding.code,
        "name": finding.name,
        "link": finding.link.value if finding.link else None,
        "level": finding.severity.word,
        "message": finding.message,
        "onset": _step(finding.onset),
        "confidence": finding.confidence,
        "evidence": [_evidence(one) for one in finding.evidence],
        "fix": list(finding.fix),
        "verify": finding.verify,
        "consequence_of": finding.consequence_of,
    }


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {
        "metric": evidence.metric,
        "value": evidence.value,
        "limit": evidence.limit,
        "step": _step(evidence.step),
    }


def _symptom(symptom: Symptom, diagnosis: Diagnosis) -> dict[str, Any]:
    fired = {finding.code for finding in diagnosis.findings}
    walk = symptom_walk(symptom, diagnosis)
    rules = {code: f"{name}, {became}" if code in fired else became for code, name, became in walk}
    return {"name": symptom.name, "advice": symptom.advice, "rules": rules}


def _step(step: float | None) -> float | int | None:
    """A step as a whole number where it is one."""
    if step is None or not math.isfinite(step):
        return step
    return int(step) if step == int(step) else float(step)


def _valid(value: Any) -> Any:
    """The value with everything replaced that JSON cannot hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_valid(str(key)): _valid(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_valid(each) for each in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    return value
