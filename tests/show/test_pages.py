from __future__ import annotations

from tests.looping import loop_over
from weaklink.judge.rules._registry import SECTIONS, all_rules
from weaklink.show import pages
from weaklink.show.layout import Sheet


@loop_over(rule=all_rules().values())
def test_a_page_tells_all_it_should(rule):
    shown = pages.explanation(rule, Sheet()).plain()
    assert shown.startswith(f"{rule.code} {rule.name}\n")
    for heading in SECTIONS:
        assert heading in shown
        assert f"## {heading}" in pages.markdown(rule)
    for name in rule.thresholds:
        assert name in shown
