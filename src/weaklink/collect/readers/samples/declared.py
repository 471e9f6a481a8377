"""What a row declares beside its sample: the size of its group, weights of rewards, schemas of tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from weaklink.base.evidence.samples import ToolCall
from weaklink.collect.readers.samples.comparisons import FIRST_WON
from weaklink.collect.readers.samples.drafts import SampleDraft
from weaklink.collect.readers.samples.expected import compare_results
from weaklink.collect.readers.samples.names import TOTALS

SIZES = frozenset((
    "num_generations", "n_generations", "group_size", "samples_per_prompt", "num_samples_per_prompt",
    "n_samples_per_prompt", "rollouts_per_prompt", "num_return_sequences",
))  # fmt: skip
WEIGHTS = frozenset(("reward_weights", "component_weights", "reward_coefficients", "reward_coefs", "weights"))
TOOLS = frozenset(("tools", "allowed_tools", "available_tools"))
ESTIMATORS = frozenset(("adv_estimator", "advantage_estimator", "estimator", "algorithm", "algo"))
_RELATIVE = ("grpo", "rloo", "gspo", "dapo", "group")
"""Parts of the names of methods whose advantages are relative to the group."""
LOOKED_AT = 200
"""Characters of a result in which a tool says what is wrong with its arguments."""
_UNREADABLE = re.compile(
    r"(?:could not|cannot|can't|failed to|unable to) (?:parse|decode|read) (?:the |its |your )?"
    r"(?:tool |function |call )?(?:arguments?|parameters?|json|input)"
    r"|(?:arguments?|parameters?) (?:are|is|were|was) not valid json"
    r"|(?:invalid|malformed) json in (?:the )?(?:tool |function )?(?:arguments?|call|parameters?)",
    re.IGNORECASE,
)
PASSED = ("n_passed", "num_passed", "n_pass", "num_pass", "passed_tests", "n_tests_passed", "num_tests_passed")
"""How many tests passed, under names that say that it is a count."""
STEPS_PAID = frozenset(("step_rewards", "rewards_per_step", "per_step_rewards"))
"""What each step of a trajectory was paid, in a list beside the steps."""
_DECLARED = SIZES | WEIGHTS | TOOLS | ESTIMATORS | STEPS_PAID


def take_declared(draft: SampleDraft, row: Mapping[str, Any]) -> None:
    """Takes what a row declares, and what follows from it for this sample."""
    if isinstance(row.get(FIRST_WON), bool) and "chosen" in draft.values:
        draft.values[FIRST_WON] = row[FIRST_WON]
    if draft.values.get("calls"):
        draft.values["malformed"] = count_unreadable(draft.values["calls"])
    if "gold" not in draft.values:
        outcome = judge_tests(draft.figures)
        outcome = compare_results(row) if outcome is None else outcome
        if outcome is not None:
            draft.values["gold"] = outcome
    for name in row.keys() & _DECLARED:
        value = row[name]
        if name in SIZES and type(value) is int and value > 0:
            draft.values["group_size"] = value
        elif name in WEIGHTS and isinstance(value, dict):
            _take_weights(draft, row, value)
        elif name in STEPS_PAID and isinstance(value, list) and len(value) == len(draft.values.get("calls", ())):
            if value and all(isinstance(one, int | float) for one in value):
                draft.values.setdefault("step_rewards", tuple(map(float, value)))
        elif name in ESTIMATORS and isinstance(value, str):
            draft.values["group_relative"] = any(map(value.lower().__contains__, _RELATIVE))
        elif name in TOOLS and isinstance(value, list) and draft.values.get("calls"):
            counted = count_malformed(value, draft.values["calls"])
            draft.values["malformed"] = draft.values["malformed"] if counted is None else counted


def judge_tests(figures: Mapping[str, float]) -> float | None:
    """Right where all tests passed and wrong where none did; None where some did, or one of the counts is not there."""
    for name, count in figures.items():
        counted = next((passed for passed in PASSED if name.endswith(passed)), "")
        totals = (figures.get(name.removesuffix(counted) + total) for total in TOTALS) if counted else ()
        total = next((one for one in totals if one is not None and one >= max(count, 1.0)), None)
        if total is not None and count in (0.0, total):
            return float(count == total)
    return None


def _take_weights(draft: SampleDraft, row: Mapping[str, Any], weights: Mapping[str, Any]) -> None:
    """Adds up the parts by their weights; parts that stand in the row under their own names are components."""
    total = 0.0
    for name, weight in weights.items():
        part = draft.rewards.get(name, row.get(name))
        if not isinstance(part, int | float) or not isinstance(weight, int | float):
            return
        total += weight * part
    for name in weights:
        draft.rewards.setdefault(name, float(row.get(name, 0.0)))
    draft.values["weighted"] = total if total - total == 0.0 else None


def count_unreadable(calls: Iterable[ToolCall]) -> int | None:
    """How many calls have arguments that begin an object and are no JSON, or that the tool says it could not parse.

    None where no call has an object for arguments: tools may take plain text.
    """
    told = [
        _UNREADABLE.search(call.result[:LOOKED_AT]) is not None or not _is_json(call.arguments)
        for call in calls
        if call.arguments[:1] == "{" or _UNREADABLE.search(call.result[:LOOKED_AT])
    ]
    return sum(told) if told else None


def count_malformed(tools: Iterable[Any], calls: Iterable[ToolCall]) -> int | None:
    """How many calls have arguments that are no object, lack a required one or have one that the tool does not know."""
    schemas = dict(filter(None, map(_read_schema, tools)))
    if not schemas:
        return None
    return sum(_is_malformed(call.arguments, schemas[call.tool]) for call in calls if call.tool in schemas)


def _read_schema(tool: Any) -> tuple[str, tuple[frozenset[str], frozenset[str]]] | None:
    """The name of a tool with its required and its known arguments; None where it declares none."""
    inner = tool.get("function", tool) if isinstance(tool, dict) else None
    schema = inner.get("parameters", inner.get("input_schema")) if isinstance(inner, dict) else None
    known = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(inner, dict) or not isinstance(schema, dict) or not isinstance(known, dict):
        return None
    required = schema.get("required")
    return str(inner.get("name")), (
        frozenset(required if isinstance(required, list) else ()),
        frozenset(known if schema.get("additionalProperties") is not True else ()),
    )


def _is_json(text: str) -> bool:
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _is_malformed(arguments: str, schema: tuple[frozenset[str], frozenset[str]]) -> bool:
    required, known = schema
    try:
        given = msgspec.json.decode(arguments) if arguments.strip() else {}
    except (msgspec.DecodeError, RecursionError):
        return True
    if not isinstance(given, dict):
        return True
    return not required <= given.keys() or bool(known and given.keys() - known)
