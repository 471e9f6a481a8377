from __future__ import annotations

from tests.looping import loop_over
from weaklink.judge.rules._registry import SECTIONS, load_rules
from weaklink.show import pages
from weaklink.show.layout import TerminalSheet


@loop_over(rule=load_rules().values())
def test_a_page_tells_all_it_should(rule):
    shown = pages.write_explanation(rule, TerminalSheet()).plain()
    assert shown.startswith(f"{rule.code} {rule.name}\n")
    for heading in SECTIONS:
        assert heading in shown
        assert f"## {heading}" in pages.write_markdown(rule)
    for name in rule.thresholds:
        assert name in shown
