from __future__ import annotations

from io import StringIO

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from weaklink.show.layout import TerminalSheet

words = st.lists(st.text("abcde", min_size=1, max_size=12), min_size=1, max_size=40)


@given(words, st.integers(40, 100), st.integers(0, 8), st.integers(0, 8))
def test_wrapped_text_keeps_its_words_and_its_width(words, width, indent, hang):
    page = TerminalSheet(width)
    page.text((" ".join(words), ""), indent=indent, hang=hang)
    lines = page.plain().splitlines()
    assert " ".join(lines).split() == words
    assert all(len(line) <= width for line in lines)


def test_a_word_may_change_its_style_halfway():
    page = TerminalSheet(40)
    page.text(("POL301", "strong"), (", next", ""))
    assert page.plain() == "POL301, next\n"


def test_the_stretching_column_gives_way():
    page = TerminalSheet(60)
    page.table(("run", "verdict"), [[("x" * 100, ""), ("broken", "broken")]], stretch=0)
    assert max(map(len, page.plain().splitlines())) == 60


def test_colour_changes_nothing_but_the_colour():
    page = TerminalSheet()
    page.text(("BROKEN", "broken"), ("  [bold]no markup[/bold]", "dim"))
    bare, colour = StringIO(), StringIO()
    Console(file=bare).print(page.coloured(), end="", soft_wrap=True)
    Console(file=colour, force_terminal=True, color_system="truecolor").print(page.coloured(), end="", soft_wrap=True)
    assert bare.getvalue() == page.plain()
    assert "\x1b[" in colour.getvalue()
