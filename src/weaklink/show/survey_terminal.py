"""A preflight for a person at a terminal: the answer, what is broken, the pictures, the checklist."""

from __future__ import annotations

from collections.abc import Sequence

from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import Survey
from weaklink.judge.diagnosis.checklists import Item
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.layout import Page, Span
from weaklink.show.pictures import draw, pictures
from weaklink.show.terminal import findings, heading
from weaklink.show.text import number, several

MARKS = {"done": "[x]", "failed": "[!]", "open": "[ ]"}
STYLES = {"done": "", "failed": "error", "open": "dim"}


def report(diagnosis: Diagnosis, survey: Survey, checklist: Sequence[Item], page: Page) -> Page:
    """Writes the whole of it."""
    _answer(diagnosis, survey, page)
    findings(diagnosis, None, page)
    draw(pictures(survey), page)
    checklist_lines(checklist, page)
    page.gap()
    page.text((wording.judged(diagnosis), "dim"))
    for line in (*wording.unable(diagnosis), *diagnosis.notes):
        page.text((line, "dim"), hang=2)
    return page


def _answer(diagnosis: Diagnosis, survey: Survey, page: Page) -> None:
    verdict: Span = (diagnosis.verdict.value.upper(), diagnosis.verdict.value)
    first = wording.first_finding(diagnosis)
    if first is None or first.link is None:
        page.text(verdict, ("  ", ""), (wording.survey_reason(diagnosis), ""), hang=len(verdict[0]) + 2)
    else:
        page.line(verdict, ("  ", ""), (first.link.value, "strong"), ("  ", ""), (wording.title(first), "strong"))
    page.text((_facts(survey), "dim"))


def _facts(survey: Survey) -> str:
    """What was surveyed: its spaces, how fast it is and how long it was looked at."""
    parts = [survey.name]
    spaces = (("sees", survey.observation), ("does", survey.action))
    parts += [f"{name} {told(space)}" for name, space in spaces if space is not None]
    if survey.timing is not None:
        parts.append(f"{number(round(survey.timing.steps_per_second))} steps/s")
    parts.append(f"surveyed in {survey.seconds:.0f} s")
    return " · ".join(parts)


def told(space: Space) -> str:
    """A space in a few words."""
    if space.kind == "discrete":
        return f"1 of {space.choices[0]}"
    if space.kind == "multi_discrete":
        return several(len(space.choices), "choice")
    if space.kind == "multi_binary":
        return f"{space.size} switches"
    if space.parts:
        return f"{space.kind} of {', '.join(space.parts)}"
    if space.kind == "box":
        return f"an image {'x'.join(map(str, space.shape))}" if space.is_image else several(space.size, "number")
    return "something that is no array of numbers"


def checklist_lines(items: Sequence[Item], page: Page, title: str = "Before training") -> None:
    """What is ticked or failed one by one, what is open by the command that would tick it."""
    if not items:
        return
    heading(title, page, indent=0)
    waiting: dict[str, list[str]] = {}
    for item in items:
        if item.state == "open" and item.command:
            waiting.setdefault(item.command, []).append(item.name)
            continue
        spans: list[Span] = [
            (f"{MARKS[item.state]} ", STYLES[item.state]),
            (item.name, "strong"),
            (f"  {item.told}", ""),
        ]
        page.text(*spans, indent=2, hang=4)
    for command, names in waiting.items():
        page.text((f"{MARKS['open']} ", "dim"), (", ".join(names), "strong"), (f"  {command}", "dim"), indent=2, hang=4)
