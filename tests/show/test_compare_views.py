from __future__ import annotations

import json

import numpy as np
import pytest

import weaklink
from tests.unwrapping import unwrapped
from weaklink.show.rendering import render
from weaklink.verbs.compare import Compared


@pytest.fixture(scope="module")
def seeds(tmp_path_factory) -> Compared:
    root = tmp_path_factory.mktemp("seeds")
    for name, mean in (("first", 1.0), ("second", 3.0), ("third", 1.1)):
        scores = np.random.default_rng(len(name)).normal(mean, 0.3, 6)
        weaklink.evaluation(root / name, scores=scores, seeds=range(6), task="Maze", episodes=20, split="dev")
    return weaklink.compare(root / "first", root / "second", root / "third", target=3.0)


@pytest.mark.parametrize("width", [40, 80, 100])
def test_nothing_is_wider_than_the_page_but_tables_of_names(seeds, width):
    text = render(seeds, "terminal", width=width)
    assert "second is better than first" in unwrapped(text)
    longest = max(len(line) for line in text.splitlines() if "(" not in line and "  " not in line)
    assert longest <= width


def test_ascii_where_nothing_else_can_be_shown(seeds):
    assert render(seeds, "terminal", width=80, unicode=False).isascii()


def test_every_party_stands_in_every_view(seeds):
    terminal = render(seeds, "terminal", width=80)
    markdown = render(seeds, "markdown")
    data = json.loads(render(seeds, "json"))
    for name in ("first", "second", "third"):
        assert name in terminal
        assert f"`{name}`" in markdown
    assert [party["name"] for party in data["scores"]["parties"]] == ["first", "second", "third"]
    assert "below target" in terminal
    assert "97.5 % interval" in markdown


def test_what_cannot_be_told_apart_comes_with_the_seeds_it_would_take(seeds):
    text = unwrapped(render(seeds, "terminal", width=80))
    assert "these seeds cannot tell third from first" in text
    assert "to tell a difference of this size: about" in text


def test_the_contract_of_the_data(seeds):
    data = json.loads(render(seeds, "json"))
    assert data["command"] == "compare"
    assert data["schema"] == 1
    assert set(data) >= {
        "verdict", "first_break", "findings", "clean", "blind", "comparable", "measure", "tasks", "parties", "protocol",
        "scores", "looks", "overlap", "target_score",
    }  # fmt: skip
    assert set(data["scores"]) == {
        "unit", "statistic", "parties", "pairs", "levels", "confidence", "scaled", "notes",
    }  # fmt: skip
    assert set(data["scores"]["pairs"][0]) == {
        "first", "second", "difference", "improvement", "chance", "only_first", "only_second", "needed", "better",
    }  # fmt: skip
    assert len(data["scores"]["parties"][0]["profile"]) == len(data["scores"]["levels"])
