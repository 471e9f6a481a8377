"""What a result shows of itself: HTML in a notebook, the report of the terminal where it is printed."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

import weaklink
from tests.show.made import HOSTILE, broken, broken_run, healthy, hostile
from tests.show.test_survey_views import CHECKLIST, dead_wheel
from tests.worlds import world
from weaklink.show.document import SHORT
from weaklink.show.hiding import hide_in_document
from weaklink.show.layout import TerminalSheet
from weaklink.show.renderers.notebook import write_document
from weaklink.show.rendering import build_document, lay_out
from weaklink.verbs.preflight import Preflight

VOID = {"br"}
ALLOWED = {"div", "p", "b", "br", "span", "ul", "li", "pre", "code", "table", "tr", "th", "td", "details", "summary"}


class Checked(HTMLParser):
    """Every element is one of ours, has no attribute but a style, and is closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in ALLOWED
        assert {name for name, _ in attrs} <= {"style"}
        assert not any("url(" in (value or "") for _, value in attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    def handle_decl(self, decl):
        raise AssertionError(decl)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def preflight() -> Preflight:
    return Preflight(world(), dead_wheel(), CHECKLIST, None)


@pytest.fixture(scope="module")
def audited():
    return weaklink.audit("examples/broken_samples.jsonl")


@pytest.mark.parametrize("result", [broken(), healthy(), preflight()], ids=["broken", "healthy", "preflight"])
def test_a_result_is_well_formed_html_and_says_its_verdict(result):
    shown = Checked(result._repr_html_())
    verdict = getattr(result, "diagnosis", result).verdict.value.upper()
    assert verdict in shown.text


def test_a_broken_run_says_what_why_and_what_to_do():
    document = hide_in_document(build_document(broken(), run=broken_run()))
    text = Checked(write_document(document)).text
    for part in (
        "Clipping discards most of each update",
        "POL301 excessive-clipping",
        "policy.clip_fraction: 0.8 from step 61,440 on, limit 0.3",
        "Lower the learning rate by a factor of 3 to 10.",
        "What followed EXP301 entropy-collapse",
        "weaklink diagnose runs/half_lr",
    ):
        assert part in text
    assert re.search("[▁▂▃▄▅▆▇█]{20}", text)


def test_samples_are_shown_as_text(audited, tmp_path):
    assert "LLM302 length-inflation" in Checked(audited._repr_html_()).text
    rows = tmp_path / "samples.jsonl"
    text = '{"prompt": "<script>alert(1)</script>", "completion": "<img src=x onerror=alert(1)>", "reward": %d}\n'
    rows.write_text("".join(text % (place % 2) for place in range(40)), encoding="utf-8")
    shown = weaklink.audit(rows)._repr_html_()
    Checked(shown)
    assert "<script" not in shown
    assert "<img" not in shown


def test_a_comparison_shows_itself(tmp_path):
    for name, score in (("a", 1.0), ("b", 2.0)):
        weaklink.evaluation(tmp_path / name, scores=[score] * 5, task="t", split="dev", seeds=range(5))
    compared = weaklink.compare(tmp_path / "a", tmp_path / "b")
    assert Checked(compared._repr_html_()).text
    assert str(compared) == lay_out(compared, TerminalSheet(), view=SHORT).plain().rstrip("\n")


def test_what_came_from_a_log_is_never_markup():
    shown = hostile()._repr_html_()
    Checked(shown)
    assert "<b>`code`" not in shown
    assert HOSTILE not in shown


def test_printing_it_gives_the_report_of_the_terminal():
    assert str(broken()) == lay_out(broken(), TerminalSheet(), view=SHORT).plain().rstrip("\n")
    assert str(preflight()).startswith("BROKEN  ")
    assert repr(broken()).startswith("Diagnosis(")
