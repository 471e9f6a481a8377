"""The labelled sets of completions are what the bench says they are; what an audit makes of them is counted there."""

from __future__ import annotations

import json
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from weaklink.collect.readers.samples import open_samples

ROOT = Path(__file__).parents[2]
CODES = [f"LLM{number}" for number in (*range(301, 310), 311, 312, 316, 317)]


@pytest.fixture
def sets(monkeypatch):
    """Those of the bench, which lies beside the package."""
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    return import_module("bench.audited.language").SETS


def test_every_code_has_four_styles_and_honest_controls_abound(sets):
    styles = Counter(labelled.code for labelled in sets)
    assert min(styles[code] for code in CODES) >= 4
    assert styles[""] >= 20
    names = [labelled.name for labelled in (*sets, *import_module("bench.audited.language_unseen").SETS)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", ["length-baseline", "judge-emojis", "pairs-stars", "honest: other scripts"])
def test_a_seed_always_makes_the_same_rows_and_all_of_them_can_be_read(name, sets, tmp_path):
    labelled = next(one for one in sets if one.name == name)
    rows = labelled.make(3)
    assert rows == labelled.make(3)
    assert rows != labelled.make(4)
    file = tmp_path / "samples.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    read = open_samples(str(file))
    assert sum(1 for _ in read) == len(rows)
    assert (read.faulty, tuple(read.unknown)) == (0, ())
