"""The rules on samples asked about each kind of prompt: what goes wrong in one kind may not show in the mean of all."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.finding import Finding, Level
from weaklink.judge.diagnosis.engine import RuleAnswers, ask_rules
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.rules._registry import Rule
from weaklink.judge.rules._words import join_names, shorten

FEWEST_ROWS, SHARE = 80, 0.02
"""Rows of a kind, and their share of all: fewer decide nothing about a training."""

MOST_KINDS = 12
"""Kinds that are asked about, the commonest first."""

NEARLY_ALL = 0.9
"""A kind with more of the rows than this is the whole."""

LONGEST_NAME = 40


def ask_by_kind(samples: Samples, settings: RuleSettings, whole: RuleAnswers) -> list[tuple[Rule, Finding]]:
    """The warnings and errors of single kinds of prompts, of rules that raise none over all rows."""
    raised = {rule.code for rule, finding in whole.fired if finding.severity >= Level.WARN}
    found: dict[str, tuple[Rule, Finding, list[str]]] = {}
    for kind in _list_kinds(samples):
        part = _select_kind(samples, kind)
        answers = ask_rules(settings, {Samples: part}, "language", closest=True)
        for rule, finding in answers.fired:
            if finding.severity < Level.WARN or rule.code in raised:
                continue
            _, _, names = found.setdefault(rule.code, (rule, _name_kind(finding, part), []))
            names.append(part.kind)
    return [(rule, _name_others(finding, names[1:])) for rule, finding, names in found.values()]


def _list_kinds(samples: Samples) -> list[int]:
    """The kinds with enough rows, the commonest first; none where there is only one."""
    if "kind" not in samples:
        return []
    kinds = samples.codes["kind"]
    known, counts = np.unique(kinds[kinds >= 0], return_counts=True)
    enough = (counts >= max(FEWEST_ROWS, SHARE * len(samples))) & (counts <= NEARLY_ALL * len(samples))
    order = np.argsort(-counts[enough], kind="stable")[:MOST_KINDS]
    return [int(kind) for kind in known[enough][order]]


def _select_kind(samples: Samples, kind: int) -> Samples:
    baseline = samples.baseline
    if baseline is not None and "kind" in baseline:
        baseline = baseline.where(baseline.codes["kind"] == kind)
    name = shorten(samples.names.get("kind", {}).get(kind, str(kind)), LONGEST_NAME)
    return replace(samples.where(samples.codes["kind"] == kind), baseline=baseline, run=None, kind=name)


def _name_kind(finding: Finding, part: Samples) -> Finding:
    message = f"Of {len(part):,} rows whose prompts are of the kind '{part.kind}': {finding.message}"
    return msgspec.structs.replace(finding, message=message)


def _name_others(finding: Finding, others: list[str]) -> Finding:
    if not others:
        return finding
    named = join_names(f"'{name}'" for name in others)
    return msgspec.structs.replace(finding, message=f"{finding.message} The same holds of {named}.")
