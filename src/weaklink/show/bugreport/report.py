"""The bug report: sections in the order in which maintainers read, short enough for an issue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from weaklink.show.allowing import LONGEST_VALUE, allow_setting, find_private_names, list_unknown_parts
from weaklink.show.bugreport import configuration, curves, environment, findings, installed, reproduction
from weaklink.show.bugreport.pen import MarkdownPen, fold_lines
from weaklink.show.pages import list_page_words
from weaklink.show.redaction import make_redaction
from weaklink.verbs.bugreport import ReportMaterial

LONGEST = 60_000
"""Characters: what an issue can hold, less some room for words of one's own."""

BOUNDS = (40, 20, 10, 5, 2)
"""How long lists may be; the first that makes the whole short enough is taken."""

YOURS = (
    "I have said in a sentence what I expected and what happens instead.",
    "I have run the script above, and it shows the problem.",
    "I have searched the issues and the documentation for it.",
    "I have read this report: nothing in it must stay private.",
)


def write_bugreport(material: ReportMaterial) -> str:
    """The whole text, as Markdown."""
    redact = make_redaction((*material.names, *find_names(material)))
    text = ""
    for most in BOUNDS:
        text = redact("\n".join(_write_sections(material, MarkdownPen(redact, most)))) + "\n"
        if len(text) <= LONGEST:
            return text
    return _cut(text)


def find_names(material: ReportMaterial) -> set[str]:
    """Names that the material gives away: those of people and machines, and whatever was hidden in names and settings.

    What is hidden once must not stand in a sentence elsewhere. Words of weaklink's own pages are left alone.
    """
    raw, context = dict(material.config.raw), material.context
    texts = [(str(name), value) for name, value in raw.items() if isinstance(value, str)]
    hidden = [value for name, value in texts if allow_setting(name, value) is None]
    keys = [key for run in material.runs for key in (*run.series, *run.unknown)]
    given = [value for value in hidden if len(value) <= LONGEST_VALUE and not re.search(r"\s", value)]
    unknown = list_unknown_parts((*map(str, raw), *keys, *given, material.name))
    return {*find_private_names(raw, context), *(word for word in unknown if word.lower() not in list_page_words())}


def _write_sections(material: ReportMaterial, pen: MarkdownPen) -> Iterator[str]:
    yield from _write_summary(material, pen)
    yield from _write_section("To reproduce", reproduction.write_lines(material, pen))
    for judgement in material.judgements:
        about = f" ({judgement.about})" if len(material.judgements) > 1 else ""
        yield from _write_section(f"Findings{about}", findings.write_lines(judgement, pen))
        yield from _write_section(f"Curves{about}", curves.write_lines(judgement, pen))
    if material.survey is not None:
        yield from _write_section("Environment", environment.write_lines(material.survey, pen))
    if material.judgements or material.config:
        yield from _write_section("Configuration", configuration.write_lines(material, pen))
    yield from _write_section("What was tried", _write_attempts(material, pen))
    yield from _write_section("Versions", installed.write_lines(material, pen))
    yield from _write_section("Before posting", ["", *(f"- [ ] {item}" for item in YOURS)])


def _write_section(heading: str, lines: Iterable[str]) -> Iterator[str]:
    inside = list(lines)
    if inside:
        yield from ("", f"### {heading}", *inside)


def _write_summary(material: ReportMaterial, pen: MarkdownPen) -> Iterator[str]:
    yield from ("### What happens", "", "*Say here in a sentence what you expected and what happens instead.*")
    if material.judgements:
        told = [f"- {findings.describe_verdict(one, pen)}" for one in material.judgements[: pen.most]]
        yield from ("", "What weaklink found:", "", *told)
    facts = list(_list_facts(material, pen))
    if facts:
        yield from ("", ", ".join(facts) + ".")


def _list_facts(material: ReportMaterial, pen: MarkdownPen) -> Iterator[str]:
    if material.name:
        yield f"Run {pen.name(material.name)}"
    if material.framework:
        yield f"framework {pen.name(material.framework)}"
    steps = max((one.diagnosis.steps for one in material.judgements), default=0.0)
    if steps:
        yield f"{steps:,.0f} steps"
    git = material.context.get("git")
    commit = git.get("commit") if isinstance(git, dict) else None
    if isinstance(commit, str):
        yield f"own code at commit {pen.code(commit[:12])}"


def _write_attempts(material: ReportMaterial, pen: MarkdownPen) -> Iterator[str]:
    if material.tried:
        yield from ("", *(f"- {pen.prose(line)}" for line in material.tried[: pen.most]))
        yield from pen.rest(len(material.tried))
    for name, items in material.checklists.items():
        marks = {"done": "x", "failed": " ", "open": " "}
        told = [
            f"- [{marks[item.state]}] {pen.prose(item.name)}{_format_state(item.state)} {pen.prose(item.told)}"
            for item in items[: pen.most]
        ]
        yield from fold_lines(f"Checklist: {name}", told)


def _format_state(state: str) -> str:
    return {"done": ":", "failed": " (**failed**):", "open": " (not known)"}[state]


def _cut(text: str) -> str:
    """The beginning, to the end of a line, with what is folded closed again."""
    kept = text[: LONGEST - 200].rpartition("\n")[0]
    open_fence = "\n```" if sum(line.startswith("```") for line in kept.splitlines()) % 2 else ""
    open_fold = "\n\n</details>" * (kept.count("<details>") - kept.count("</details>"))
    return f"{kept}{open_fence}{open_fold}\n\n(The rest was left out: an issue holds no more.)\n"
