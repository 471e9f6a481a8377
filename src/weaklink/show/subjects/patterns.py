"""What the settings of a sweep say: in sentences for a text, as a table for a page, as a record for programs."""

from __future__ import annotations

from typing import Any

from weaklink.judge.diagnosis.conditions import Condition
from weaklink.judge.diagnosis.patterns import Pattern, SweepPatterns
from weaklink.show.document import HTML, TEXT, Block, Prose, Section, Table, TableRow
from weaklink.show.text import count_noun

COMMAND = "diagnose"
CAUTION = "What goes together need not be the cause: change that one setting alone, and see whether the break goes."
COLUMNS = ("setting", "value", "first break", "runs with it", "other runs", "chance")


def record(patterns: SweepPatterns, *, target: str = "") -> dict[str, Any]:
    """The patterns under the keys of the contract."""
    return {
        "target": target,
        "runs": patterns.runs,
        "configurations": patterns.configurations,
        "comparisons": patterns.comparisons,
        "patterns": [
            {
                "link": one.link,
                "code": one.code or None,
                "conditions": [_record_condition(condition) for condition in one.conditions],
                "alike": [_record_condition(condition) for condition in one.alike],
                "broken": one.hits,
                "runs": one.size,
                "other_broken": one.other_hits,
                "other_runs": one.other_size,
                "chance": one.chance,
            }
            for one in patterns.found
        ],
    }


def _record_condition(condition: Condition) -> dict[str, Any]:
    return {"setting": condition.setting, "relation": condition.relation, "value": condition.value}


def show_patterns(patterns: SweepPatterns | None) -> list[Section]:
    """The section on settings; none where nothing was found, and the seeds decide nothing either."""
    if patterns is None or not (patterns.found or patterns.split):
        return []
    blocks: list[Block] = []
    if patterns.found:
        rows = tuple(row for one in patterns.found for row in _make_rows(one))
        blocks.append(Prose(title="", paragraphs=(*map(write_pattern, patterns.found), CAUTION), where=TEXT))
        blocks.append(
            Table(title="", columns=COLUMNS, rows=rows, numeric=(3, 4, 5), settings=True, note=CAUTION, where=(HTML,))
        )
    if patterns.split:
        blocks.append(Prose(title="", paragraphs=(write_seeds(patterns),)))
    return [
        Section(id="patterns", title="What goes with which break", blocks=tuple(blocks), note=write_method(patterns))
    ]


def write_pattern(one: Pattern) -> str:
    """`37 of 412 runs broke first at policy: 35 of the 112 with learning_rate over 0.001, 2 of the other 300.`"""
    total, broke = one.size + one.other_size, one.hits + one.other_hits
    conditions = " and ".join(condition.text for condition in one.conditions)
    by = f" ({one.code})" if one.code else ""
    same = ", ".join(condition.text for condition in one.alike)
    open_ = f" The same runs have {same}: this sweep cannot tell them apart." if same else ""
    chance = f"chance {_format_chance(one.chance)}"
    return (
        f"{broke:,} of {count_noun(total, 'run')} broke first at {one.link}{by}: {one.hits:,} of the {one.size:,} with "
        f"{conditions}, {one.other_hits:,} of the other {one.other_size:,} ({chance}).{open_}"
    )


def write_seeds(patterns: SweepPatterns) -> str:
    """In how many configurations the seed decides."""
    return (
        f"Of {count_noun(patterns.repeated, 'configuration')} with several seeds, {patterns.split:,} broke with some "
        "seeds and not with others: there the seed decides, and no setting."
    )


def write_method(patterns: SweepPatterns) -> str:
    """How it was found, in one sentence."""
    if not patterns.comparisons:
        return ""
    return (
        f"Exact tests on {count_noun(patterns.configurations, 'configuration')}, the seeds of each counted once unless "
        f"all else is equal; every chance is multiplied by all {patterns.comparisons:,} comparisons that were made."
    )


def _make_rows(one: Pattern) -> list[TableRow]:
    """A row a condition: the first with what it goes with, the others as what holds as well."""
    told = (f"{one.hits:,} of {one.size:,}", f"{one.other_hits:,} of {one.other_size:,}", _format_chance(one.chance))
    rows = []
    for place, condition in enumerate((*one.conditions, *one.alike)):
        word = "or, the same runs" if place >= len(one.conditions) else "and"
        rest = (word, "", "", "") if place else (f"{one.link} {one.code}".strip(), *told)
        rows.append(
            TableRow(cells=(condition.setting, format_condition(condition), *rest), state="" if place else "broken")
        )
    return rows


def format_condition(condition: Condition) -> str:
    """The value with its relation: `over 0.001`, `tanh`."""
    if condition.value is None:
        return "not set"
    value = f"{condition.value:g}" if isinstance(condition.value, float) else str(condition.value)
    return value if condition.relation == "is" else f"{condition.relation} {value}"


def _format_chance(chance: float) -> str:
    return "below 1e-12" if chance < 1e-12 else f"{chance:.1g}"
