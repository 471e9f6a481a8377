"""The pages of the rules: for `weaklink explain`, `weaklink rules` and the site, from the rules' docstrings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from weaklink.base.evidence.metrics import METRICS
from weaklink.judge.rules._registry import SECTIONS, Rule, load_rules
from weaklink.show.layout import Span, TerminalSheet
from weaklink.show.text import format_code

INDEX = "README.md"
VOCABULARY = "METRICS.md"


def make_file_name(rule: Rule) -> str:
    """The file of a rule's page."""
    return f"{rule.code}-{rule.name}.md"


def find_file(rule_code: str) -> str:
    """The file of the page of the rule with this code."""
    return make_file_name(load_rules()[rule_code])


@cache
def list_page_words() -> frozenset[str]:
    """The words of all the pages, in lower case: they tell nothing of anybody."""
    pages = " ".join(rule.judge.__doc__ or "" for rule in load_rules().values())
    return frozenset(re.findall(r"[a-z]+", pages.lower()))


def record_code(rule_code: str) -> dict[str, Any]:
    """The rule with this code as data."""
    return record(load_rules()[rule_code])


def write_markdown(rule: Rule, *, links: bool = False) -> str:
    """A rule's page as Markdown, with links to the pages beside it where they are there to be followed."""
    lines = [
        f"# {rule.code} {rule.name}",
        "",
        rule.summary,
        "",
        "| link | level | reads | since |",
        "|---|---|---|---|",
    ]
    lines += [f"| {rule.link.value} | {rule.level.word} | {_reads(rule)} | {rule.since} |", ""]
    if rule.needs:
        lines += [f"Cannot tell without {_needs(rule)}.", ""]
    if rule.leads_to:
        lines += [f"May lead to {', '.join(_link_rule(code, links=links) for code in rule.leads_to)}.", ""]
    if rule.thresholds:
        lines += ["## Settings", "", "| name | default |", "|---|---|"]
        lines += [f"| {format_code(name)} | {_format_default(default)} |" for name, default in rule.thresholds.items()]
        name, default = next(iter(rule.thresholds.items()))
        lines += [
            "",
            f"Change one with `--set {rule.code}.{name}={_format_default(default)}`, or in `pyproject.toml`:",
            "",
        ]
        lines += ["```toml", f"[tool.weaklink.{rule.code}]", f"{name} = {_format_toml(default)}", "```", ""]
    for heading in SECTIONS:
        if heading in rule.page:
            lines += [f"## {heading}", "", rule.page[heading], ""]
    return "\n".join(lines).rstrip() + "\n"


def write_index(rules: Iterable[Rule]) -> str:
    """The list of all pages by link, in the order of the loop."""
    lines = [
        "# The rules",
        "",
        f"Each page is also `weaklink explain CODE`. What the rules read is listed in [the metrics]({VOCABULARY}).",
        "",
    ]
    link = None
    for rule in rules:
        if rule.link is not link:
            link = rule.link
            lines += [
                "",
                f"## {link.value}",
                "",
                "| code | name | level | reads | what it says |",
                "|---|---|---|---|---|",
            ]
        said = f"{rule.level.word} | {_reads(rule)} | {rule.summary.replace('|', '/')}"
        lines.append(f"| [{rule.code}]({make_file_name(rule)}) | {rule.name} | {said} |")
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def write_vocabulary() -> str:
    """The list of all metrics: unit, meaning, healthy range, how to log each, and which rules cannot do without it."""
    readers: dict[str, list[str]] = {}
    for rule in load_rules().values():
        for need in rule.needs:
            for name in (need,) if isinstance(need, str) else need:
                readers.setdefault(name, []).append(rule.code)
    lines = [
        "# The metrics",
        "",
        "What rules read, under the names that every framework's own are translated into.",
        "",
        "| metric | unit | meaning | healthy | how to log it | needed by |",
        "|---|---|---|---|---|---|",
    ]
    for metric in METRICS.values():
        how = f"`{metric.how}`" if metric.how else ""
        needed = ", ".join(readers.get(metric.name, []))
        row = (f"`{metric.name}`", metric.unit, metric.meaning, metric.healthy, how, needed)
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def write_rule_pages() -> dict[str, str]:
    """Every page by its file name."""
    rules = load_rules()
    return {
        INDEX: write_index(rules.values()),
        VOCABULARY: write_vocabulary(),
        **{make_file_name(rule): write_markdown(rule, links=True) for rule in rules.values()},
    }


def write_explanation(rule: Rule, sheet: TerminalSheet) -> TerminalSheet:
    """Writes a rule's page for a terminal."""
    sheet.line((f"{rule.code} {rule.name}", "strong"))
    sheet.text((rule.summary, ""))
    sheet.text((f"{rule.link.value}, {rule.level.word}, reads {_reads(rule)}, since {rule.since}", "dim"))
    if rule.needs:
        sheet.text((f"cannot tell without {_needs(rule).replace('`', '')}", "dim"), hang=2)
    if rule.leads_to:
        sheet.text((f"may lead to {', '.join(rule.leads_to)}", "dim"), hang=2)
    if rule.thresholds:
        sheet.heading("Settings")
    for name, default in rule.thresholds.items():
        sheet.line((f"  {name} = {_format_default(default)}", ""))
    for heading in SECTIONS:
        if heading in rule.page:
            sheet.heading(heading)
            write_body(rule.page[heading], sheet)
    return sheet


def write_table(rules: Iterable[Rule], sheet: TerminalSheet) -> TerminalSheet:
    """Writes the list of rules for a terminal: a line for each where the page is wide enough, else two."""
    head = ("code", "name", "link", "level", "on", "what it says")
    rows = [[*_make_row(rule), (rule.summary, "dim")] for rule in rules]
    wide = sum(max(len(row[column][0]) + 2 for row in rows) for column in range(len(head))) if rows else 0
    if wide <= sheet.width:
        sheet.table(head, rows, stretch=5)
        return sheet
    sheet.table(head[:5], [row[:5] for row in rows], stretch=1)
    told = sheet.lines[1:]
    del sheet.lines[1:]
    for line, row in zip(told, rows, strict=True):
        sheet.line(*line)
        sheet.text(row[5], indent=8)
    return sheet


def _make_row(rule: Rule) -> list[Span]:
    level = rule.level.word
    return [(rule.code, "strong"), (rule.name, ""), (rule.link.value, ""), (level, level), (_reads(rule), "")]


def record(rule: Rule) -> dict[str, Any]:
    """A rule as data."""
    return {
        "code": rule.code,
        "name": rule.name,
        "link": rule.link.value,
        "level": rule.level.word,
        "on": rule.on.__name__,
        "reads": [kind.__name__ for kind in rule.reads],
        "summary": rule.summary,
        "needs": [[need] if isinstance(need, str) else list(need) for need in rule.needs],
        "leads_to": list(rule.leads_to),
        "settings": dict(rule.thresholds),
        "since": rule.since,
    }


def _reads(rule: Rule) -> str:
    return ", ".join(sorted(kind.__name__ for kind in rule.reads))


def _needs(rule: Rule) -> str:
    wanted = ((need,) if isinstance(need, str) else need for need in rule.needs)
    return ", ".join(" or ".join(f"`{name}`" for name in names) for names in wanted)


def _link_rule(rule_code: str, *, links: bool) -> str:
    rule = load_rules().get(rule_code)
    return f"[{rule_code}]({make_file_name(rule)})" if links and rule is not None else rule_code


def _format_default(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _format_toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _format_default(value) if isinstance(value, int | float) else f'"{value}"'


def write_body(text: str, sheet: TerminalSheet) -> None:
    """Paragraphs and list items, each wrapped anew."""
    paragraph: list[str] = []
    for line in [*text.splitlines(), ""]:
        item = line.lstrip()[:2] in ("- ", "* ") or line.lstrip().partition(". ")[0].isdigit()
        if paragraph and (item or not line.strip()):
            told = " ".join(paragraph)
            hang = told.index(" ") + 1 if told[0].isdigit() or told[:2] in ("- ", "* ") else 0
            sheet.text((told, ""), indent=2, hang=hang)
            paragraph = []
        if line.strip():
            paragraph.append(line.strip())
