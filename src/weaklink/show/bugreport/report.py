"""The bug report: sections in the order in which maintainers read, short enough for an issue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from weaklink.show.bugreport import configuration, curves, environment, findings, installed, reproduction
from weaklink.show.bugreport.pen import Pen, folded
from weaklink.show.redaction import redaction
from weaklink.verbs.bugreport import Material

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


def bugreport(material: Material) -> str:
    """The whole text, as Markdown."""
    redact = redaction(material.names)
    text = ""
    for most in BOUNDS:
        text = redact("\n".join(_all(material, Pen(redact, most)))) + "\n"
        if len(text) <= LONGEST:
            return text
    return _cut(text)


def _all(material: Material, pen: Pen) -> Iterator[str]:
    yield from _what(material, pen)
    yield from _section("To reproduce", reproduction.lines(material, pen))
    for judgement in material.judgements:
        about = f" ({judgement.about})" if len(material.judgements) > 1 else ""
        yield from _section(f"Findings{about}", findings.lines(judgement, pen))
        yield from _section(f"Curves{about}", curves.lines(judgement, pen))
    if material.survey is not None:
        yield from _section("Environment", environment.lines(material.survey, pen))
    if material.judgements or material.config:
        yield from _section("Configuration", configuration.lines(material, pen))
    yield from _section("What was tried", _tried(material, pen))
    yield from _section("Versions", installed.lines(material, pen))
    yield from _section("Before posting", ["", *(f"- [ ] {item}" for item in YOURS)])


def _section(heading: str, lines: Iterable[str]) -> Iterator[str]:
    inside = list(lines)
    if inside:
        yield from ("", f"### {heading}", *inside)


def _what(material: Material, pen: Pen) -> Iterator[str]:
    yield from ("### What happens", "", "*Say here in a sentence what you expected and what happens instead.*")
    if material.judgements:
        told = [f"- {findings.answer(one, pen)}" for one in material.judgements[: pen.most]]
        yield from ("", "What weaklink found:", "", *told)
    facts = list(_facts(material, pen))
    if facts:
        yield from ("", ", ".join(facts) + ".")


def _facts(material: Material, pen: Pen) -> Iterator[str]:
    if material.name:
        yield f"Run {pen.code(material.name)}"
    if material.framework:
        yield f"framework {pen.code(material.framework)}"
    steps = max((one.diagnosis.steps for one in material.judgements), default=0.0)
    if steps:
        yield f"{steps:,.0f} steps"
    git = material.context.get("git")
    commit = git.get("commit") if isinstance(git, dict) else None
    if isinstance(commit, str):
        yield f"own code at commit {pen.code(commit[:12])}"


def _tried(material: Material, pen: Pen) -> Iterator[str]:
    if material.tried:
        yield from ("", *(f"- {pen.prose(line)}" for line in material.tried[: pen.most]))
        yield from pen.rest(len(material.tried))
    for name, items in material.checklists.items():
        marks = {"done": "x", "failed": " ", "open": " "}
        told = [
            f"- [{marks[item.state]}] {pen.prose(item.name)}{_state(item.state)} {pen.prose(item.told)}"
            for item in items[: pen.most]
        ]
        yield from folded(f"Checklist: {name}", told)


def _state(state: str) -> str:
    return {"done": ":", "failed": " (**failed**):", "open": " (not known)"}[state]


def _cut(text: str) -> str:
    """The beginning, to the end of a line, with what is folded closed again."""
    kept = text[: LONGEST - 200].rpartition("\n")[0]
    open_fence = "\n```" if sum(line.startswith("```") for line in kept.splitlines()) % 2 else ""
    open_fold = "\n\n</details>" * (kept.count("<details>") - kept.count("</details>"))
    return f"{kept}{open_fence}{open_fold}\n\n(The rest was left out: an issue holds no more.)\n"
