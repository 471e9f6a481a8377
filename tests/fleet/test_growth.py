"""A run that grew is read on from where it was read to, and comes out as if it had been read from its start."""

from __future__ import annotations

import dataclasses
import json
import os
import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.cli.logs import sick_log
from tests.counting import count_lines
from tests.looping import loop_over
from tests.readers.samples.tensorboard.writer import event, scalar, text
from weaklink.base.evidence.store import encode_line
from weaklink.collect.readers import discover, tensorboard
from weaklink.collect.readers import freezing as frozen
from weaklink.collect.readers.handing import HandedRun
from weaklink.verbs.diagnose import DiagnoseOptions, diagnose
from weaklink.verbs.fleet import growth
from weaklink.verbs.fleet.crew import FleetCrew
from weaklink.verbs.fleet.growth import GrowthMemory, GrowthPlace, forget_readings
from weaklink.verbs.fleet.sources import FileDigests

KEYS = ("rollout/ep_rew_mean", "train/approx_kl", "train/loss")


def number(draw: random.Random) -> float:
    return draw.choice((draw.random(), draw.random(), draw.gauss(0, 100), float("nan")))


@cache
def make_csv() -> bytes:
    draw = random.Random(0)
    lines = ["time/total_timesteps," + ",".join(KEYS)]
    for row in range(9000):
        cells = [str(row * 10), *(f"{number(draw):.{draw.randint(2, 9)}f}" for _ in KEYS)]
        cells[1 + row % 3] = "" if row % 101 == 0 else cells[1 + row % 3]
        lines.append("damaged,row" if row == 6001 else ",".join([*cells, "7"] if row == 7000 else cells))
    return ("\n".join(lines) + "\n").encode()


@cache
def make_json_lines() -> bytes:
    draw = random.Random(1)
    rows = []
    for row in range(5000):
        values = {key: number(draw) for key in KEYS if draw.random() < 0.9}
        rows.append(json.dumps({"step": row, "_timestamp": 1e9 + row, "später": "ä", **values}, ensure_ascii=False))
    rows[4321] = "no row"
    rows[100] = json.dumps({"step": 100, "config": {"lr": 0.1}, "late": 1.0})
    return ("\n".join(rows) + "\n").encode()


@cache
def make_recording() -> bytes:
    draw = random.Random(2)
    opening = {"weaklink": "1", "schema": 1, "created": 1e9, "config": {"lr": 1e-3}, "context": {"notes": ["told"]}}
    lines = [encode_line(opening)]
    for row in range(5000):
        lines.append(encode_line({"step": row, "time": float(row), "metrics": {key: number(draw) for key in KEYS}}))
        if row % 400 == 0:
            finding = {"code": "POL201", "level": "error", "link": "policy", "message": f"at {row}"}
            lines.append(encode_line({"finding": finding}))
            lines.append(encode_line({"gap": {"start": row, "end": row + 5, "updates": 2}}))
            histogram = {"metric": "policy.kl", "step": row, "edges": [0.0, 1.0, 2.0], "counts": [row, 1]}
            lines.append(encode_line({"histogram": histogram}))
            lines.append(encode_line({"checked": {"code": f"VAL2{row % 7:02d}"}}))
            lines.append(encode_line({"rank_look": {"optimizer": 0, "step": row, "weights": ["a", str(row)]}}))
    leak = {"code": "ENV103", "level": "error", "link": "environment", "message": "leaks"}
    lines.insert(2000, encode_line({"surveyed": {"name": "Corridor", "findings": [leak], "notes": ["seen"]}}))
    lines.insert(3000, b'{"step": 9, "metr\n')
    lines.insert(4000, encode_line({"config": {"lr": 2e-3, "later": True}}))
    return b"".join(lines)


@cache
def make_events() -> bytes:
    draw = random.Random(3)
    records = [event(0, text("config", '{"lr": 0.1}'))]
    for row in range(2500):
        values = [scalar(key, number(draw)) for key in KEYS]
        records += [event(row * 100, *values, time=1.7e9 + row)] if row % 2 else [event(row, one) for one in values[:1]]
    spoilt = bytearray(records[1800])
    spoilt[30] ^= 1
    records[1800] = bytes(spoilt)
    return b"".join(records)


FORMATS = {
    "progress.csv": make_csv,
    "log.jsonl": make_json_lines,
    "weaklink.jsonl": make_recording,
    "events.out.tfevents.1700000000.host.1.0": make_events,
}


def describe(value: object) -> object:
    """All that a run holds, to be compared."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if dataclasses.is_dataclass(value):
        return [(one.name, describe(getattr(value, one.name))) for one in dataclasses.fields(value)]
    if isinstance(value, dict):
        return [(key, describe(part)) for key, part in value.items()]
    return [describe(part) for part in value] if isinstance(value, list | tuple) else value


def read(folder: Path, place: Path | None = None) -> list[object]:
    """The runs of a folder, read from their start, or with what was kept of the last time."""
    (found,) = discover(folder)
    handed = HandedRun.of(found)
    if place is None:
        return [describe(run) for run in handed.read()]
    memory = GrowthMemory(GrowthPlace(str(place), b"this"), handed, FileDigests())
    runs = [describe(run) for run in handed.read(memory)]
    memory.save()
    return runs


@loop_over(name=FORMATS)
def test_what_grew_is_read_as_from_its_start(name, tmp_path):
    grow_by_chance(name, 0, tmp_path)


@pytest.mark.whole
@loop_over(name=FORMATS, seed=range(1, 4))
def test_what_grew_is_read_as_from_its_start_wherever_it_was_cut(name, seed, tmp_path):
    grow_by_chance(name, seed, tmp_path)


def grow_by_chance(name, seed, tmp_path):
    """Reads a file that grows by pieces of any length, beside one that is read from its start each time."""
    content, draw = FORMATS[name](), random.Random(seed)
    folder, place = tmp_path / f"{seed}-{name}", tmp_path / "growing" / f"{seed}-{name}"
    folder.mkdir()
    place.parent.mkdir(exist_ok=True)
    cuts = sorted(draw.randrange(len(content) // 3, len(content)) for _ in range(4))
    for cut in (*cuts, cuts[-1], len(content)):
        (folder / name).write_bytes(content[:cut])
        assert read(folder, place) == read(folder), cut
    assert len(list(place.iterdir())) == 1


def grow(folder: Path, name: str, content: bytes, place: Path) -> None:
    """Reads a file, and adds the last fiftieth to it."""
    folder.mkdir()
    (folder / name).write_bytes(content[: -len(content) // 50])
    read(folder, place)
    (folder / name).write_bytes(content)


@loop_over(name=[name for name in FORMATS if FORMATS[name] is not make_events])
def test_only_what_was_added_is_read(name, tmp_path):
    folder, place = tmp_path / name, tmp_path / f"growing-{name}"
    grow(folder, name, FORMATS[name](), place)
    whole, tail = count_lines(lambda: read(folder)), count_lines(lambda: read(folder, place))
    assert tail < whole / 3, (whole, tail)


def test_only_the_records_that_were_added_are_read(tmp_path, monkeypatch):
    name, content, passed = "events.out.tfevents.1700000000.host.1.0", make_events(), []
    grow(tmp_path / "run", name, content, tmp_path / "growing")
    read_blocks = tensorboard.read_blocks

    def count(*given):
        for block in read_blocks(*given):
            passed.append(len(block.data))
            yield block

    monkeypatch.setattr(tensorboard, "read_blocks", count)
    read(tmp_path / "run", tmp_path / "growing")
    assert 0 < sum(passed) < len(content) / 20


@loop_over(name=FORMATS)
def test_a_file_that_begins_otherwise_is_read_from_its_start(name, tmp_path):
    content = FORMATS[name]()
    folder, place = tmp_path / name, tmp_path / f"growing-{name}"
    folder.mkdir()
    (folder / name).write_bytes(content[: len(content) // 2])
    read(folder, place)
    at = content.index(b"5", len(content) // 4)
    (folder / name).write_bytes(content[:at] + b"6" + content[at + 1 :])
    assert read(folder, place) == read(folder)
    (folder / name).write_bytes(content[: len(content) // 3])
    assert read(folder, place) == read(folder)


def test_settings_that_are_told_later_are_read_as_from_the_start(tmp_path):
    name, content = "events.out.tfevents.1700000000.host.1.0", make_events()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / name).write_bytes(content)
    read(tmp_path / "run", tmp_path / "growing")
    later = event(9000, text("config", '{"lr": 0.2}')) + event(9001, text("config", '{"lr": 0.3, "gamma": 0.9}'))
    (tmp_path / "run" / name).write_bytes(content + later)
    assert read(tmp_path / "run", tmp_path / "growing") == read(tmp_path / "run")


def test_quoted_cells_that_reach_over_lines_are_read_from_the_start(tmp_path):
    rows = "".join(f'{row},{row * 0.5},"a\n{row},{row}"\n' for row in range(6000))
    content = ("step,reward,note\n" + rows).encode()
    (tmp_path / "run").mkdir()
    for cut in (len(content) // 2, len(content) // 2 + 3, len(content)):
        (tmp_path / "run" / "progress.csv").write_bytes(content[:cut])
        assert read(tmp_path / "run", tmp_path / "growing") == read(tmp_path / "run")
    assert not (tmp_path / "growing").exists()


def test_a_fleet_whose_runs_grow_says_what_a_fresh_one_says(tmp_path, monkeypatch):
    monkeypatch.setattr(growth, "SMALLEST", 1)
    for run in range(3):
        (tmp_path / "runs" / f"run_{run}").mkdir(parents=True)
    out, taken = tmp_path / "out", []
    thaw = frozen.thaw
    monkeypatch.setattr(growth, "thaw", lambda content: taken.append(1) or thaw(content))
    content = make_csv()
    for share in (0.5, 0.8, 1.0):
        for run in range(3):
            (tmp_path / "runs" / f"run_{run}" / "progress.csv").write_bytes(content[: int(share * len(content))])
        sick_log(tmp_path / "runs" / "other")
        options = DiagnoseOptions(paths=(str(tmp_path / "runs"),), crew=FleetCrew(workers=1, out=str(out)))
        assert diagnose(options).results == diagnose(DiagnoseOptions(paths=options.paths)).results
    assert len(taken) == 6


def test_what_does_not_grow_is_not_kept(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "progress.csv").write_bytes(make_csv())
    os.utime(tmp_path / "run" / "progress.csv", (1, 1))
    read(tmp_path / "run", tmp_path / "growing")
    assert not (tmp_path / "growing").exists()


def test_the_oldest_readings_go_first(tmp_path, monkeypatch):
    for name, changed, size in (("old", 1, 1), ("first", 5_000, 40), ("second", 6_000, 40), ("last", 7_000, 40)):
        (tmp_path / name).write_bytes(b"x" * size)
        os.utime(tmp_path / name, (changed, changed))
    monkeypatch.setattr(growth, "MOST_KEPT", 100)
    monkeypatch.setattr(growth.time, "time", lambda: growth.LONGEST_KEPT + 1000)
    forget_readings(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["last", "second"]


def test_only_known_kinds_are_kept_and_made_again():
    with pytest.raises(frozen.CannotFreeze):
        frozen.freeze({"thing": Path()})
    for spoilt in (b"", b"\x00", b"\x93\x90\x91\x92\xa5Popen\x90\x92\xa5thing\x00"):
        with pytest.raises(ValueError, match="no reading"):
            frozen.thaw(spoilt)
