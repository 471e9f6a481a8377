"""The labelled sets of agents are what the bench says they are; what an audit makes of them is counted there."""

from __future__ import annotations

import json
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from weaklink.base.evidence.samples import Samples
from weaklink.base.finding import Finding
from weaklink.collect.readers.samples import open_samples
from weaklink.collect.samples.gathering import gather
from weaklink.judge.rules._registry import find_rule

ROOT = Path(__file__).parents[2]
CODES = ("AGT301", "AGT302", "AGT303", "AGT304", "AGT305")
CLEAR = [
    "AGT301/repeats-at-the-end-alone",
    "AGT302/graders-overwritten",
    "AGT303/failure-graded-as-success",
    "AGT304/advantage-of-another",
    "AGT305/no-more-recovery",
]
HONEST = ["honest/steep-curriculum", "honest/waiting-for-a-job", "honest/nothing-to-change", "honest/reading-only"]


@pytest.fixture
def sets(monkeypatch):
    """Those of the bench, which lies beside the package, by name."""
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    modules = import_module("bench.audited.agents"), import_module("bench.audited.agents_unseen")
    return {labelled.name: labelled for module in modules for labelled in module.SETS}


def gathered(labelled, folder) -> Samples:
    file = folder / "samples.jsonl"
    rows = labelled.make(11)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    read = open_samples(str(file))
    samples = gather(read, labelled.name)
    assert (read.faulty, tuple(read.unknown), samples.rows) == (0, (), len(rows))
    return samples


def found(code: str, samples: Samples) -> bool:
    return isinstance(find_rule(code).ask(samples), Finding | tuple)


def test_every_code_has_four_styles_and_honest_controls_abound(sets):
    styles = Counter(labelled.code for labelled in sets.values() if not labelled.name.startswith("unseen"))
    assert min(styles[code] for code in CODES) >= 4
    assert styles[""] >= 12


@pytest.mark.parametrize("name", ["AGT301/doing-and-undoing", "honest/moves-of-a-game", "unseen/AGT303/scripts"])
def test_a_seed_always_makes_the_same_rows(name, sets):
    make = sets[name].make
    assert make(3) == make(3)
    assert make(3) != make(4)


@pytest.mark.parametrize("name", CLEAR)
def test_a_clear_hack_is_found_under_its_code(name, sets, tmp_path):
    assert found(sets[name].code, gathered(sets[name], tmp_path))


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_agent_is_not_accused(name, sets, tmp_path):
    samples = gathered(sets[name], tmp_path)
    assert not [code for code in CODES if found(code, samples)]
