from __future__ import annotations

import subprocess
import sys

import pytest

from weaklink.base.errors import UsageError
from weaklink.base.evidence.ledger import FILE, LedgerLook, add_looks, count_looks, find_ledger, look_at, read_looks
from weaklink.base.evidence.manifest import Manifest

WRITERS, EACH = 4, 50


def evaluated(model: str, split: str = "private", score: float = 1.0) -> Manifest:
    return Manifest.of(task="gsm8k", model=model, split=split, scores=[score])


WRITE = f"""
import sys
from pathlib import Path
from weaklink.base.evidence.ledger import add_looks, look_at
from weaklink.base.evidence.manifest import Manifest
for number in range({EACH}):
    made = Manifest.of(task="gsm8k", model=sys.argv[2] + str(number), split="private", scores=[number])
    add_looks(Path(sys.argv[1]), look_at([made], "evaluation"))
"""


@pytest.mark.slow
def test_concurrent_writers_lose_no_look(tmp_path):
    path = tmp_path / FILE
    writers = [subprocess.Popen([sys.executable, "-c", WRITE, path, f"{number}-"]) for number in range(WRITERS)]
    assert [one.wait() for one in writers] == [0] * WRITERS
    looks, damaged = read_looks(path)
    assert damaged == 0
    assert len(looks) == WRITERS * EACH
    (found,) = count_looks(looks)
    assert len(found.models) == WRITERS * EACH


def test_a_torn_line_costs_itself_alone(tmp_path):
    path = tmp_path / FILE
    path.write_bytes(b'{"time":"2026-01-01","split":"pri')
    add_looks(path, look_at([evaluated("a")], "compare"))
    looks, damaged = read_looks(path)
    assert [look.models for look in looks] == [("a",)]
    assert damaged == 1


def test_seeing_the_same_again_is_no_new_look():
    first = look_at([evaluated("a")], "evaluation", time="1")
    second = look_at([evaluated("b")], "evaluation", time="2")
    both = look_at([evaluated("a"), evaluated("b")], "compare", time="3")
    (found,) = count_looks([*first, *second, *both])
    assert (found.looks, found.repeats, found.models) == (2, 1, ("a", "b"))


def test_one_look_in_two_ledgers_counts_once():
    one = look_at([evaluated("a")], "compare", "a", time="3")
    two = look_at([evaluated("b")], "compare", "a", time="3")
    (found,) = count_looks([*one, *two])
    assert (found.looks, found.repeats, found.selections) == (1, 0, ("a",))


def test_what_names_no_split_is_not_counted():
    assert look_at([Manifest.of(scores=[1.0])], "compare") == []


def test_splits_and_tasks_are_counted_apart():
    looks = [LedgerLook(time="1", split=split, task=task) for split in ("dev", "private") for task in ("a", "b")]
    assert len(count_looks(looks)) == 4


def test_the_nearest_ledger_above_is_used(tmp_path):
    deep = tmp_path / "runs" / "a"
    deep.mkdir(parents=True)
    assert find_ledger(deep) == deep / FILE
    (tmp_path / FILE).touch()
    assert find_ledger(deep) == tmp_path / FILE


def test_a_ledger_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(UsageError, match="Cannot count this look"):
        add_looks(tmp_path / "no" / "such" / FILE, look_at([evaluated("a")], "compare"))


def test_no_ledger_holds_no_looks(tmp_path):
    assert read_looks(tmp_path / FILE) == ([], 0)
