from __future__ import annotations

from pathlib import Path

from tests.looping import loop_over
from weaklink.judge.rules._registry import SECTIONS, all_rules
from weaklink.show import pages
from weaklink.show.layout import Page

DOCS = Path(__file__).parents[2] / "docs" / "rules"


def test_the_pages_in_docs_are_the_generated_ones():
    wanted = pages.written(all_rules())
    have = {file.name: file.read_text(encoding="utf-8") for file in DOCS.glob("*.md")}
    stale = [name for name in sorted(wanted.keys() | have.keys()) if wanted.get(name) != have.get(name)]
    assert not stale, f"run `make docs`: {stale}"


@loop_over(rule=all_rules().values())
def test_a_page_tells_all_it_should(rule):
    shown = pages.explanation(rule, Page()).plain()
    assert shown.startswith(f"{rule.code} {rule.name}\n")
    for heading in SECTIONS:
        assert heading in shown
        assert f"## {heading}" in pages.markdown(rule)
    for name in rule.thresholds:
        assert name in shown


def test_writing_takes_stale_pages_away(tmp_path):
    (tmp_path / "OLD999-gone.md").write_text("gone")
    pages.main(str(tmp_path))
    assert {file.name for file in tmp_path.iterdir()} == set(pages.written(all_rules()))
