from __future__ import annotations

from pathlib import Path

from tests.cli.logs import call

ROOT = Path(__file__).parents[2]


def test_it_shows_the_text_and_the_place():
    text = (ROOT / "SKILL.md").read_text(encoding="utf-8")
    assert call("skill").stdout == text
    assert Path(call("skill", "--where").stdout.strip()).read_text(encoding="utf-8") == text


def test_the_front_matter_is_what_agents_look_for():
    _, head, body = (ROOT / "SKILL.md").read_text(encoding="utf-8").split("---\n", 2)
    told = dict(line.split(": ", 1) for line in head.splitlines())
    assert told["name"] == "weaklink"
    assert 100 < len(told["description"]) <= 1024
    assert body.startswith("\n# ")
