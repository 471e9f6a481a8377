"""Lines of a recording that cannot be read are counted by kind, left out and said."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from weaklink.base.evidence import lines
from weaklink.base.evidence.store import FILE, Recording
from weaklink.cli import make_app
from weaklink.collect import readers
from weaklink.collect.readers.growing import GrowingRecording

DAMAGE = (
    b'{"step": 9, "time": 1.0, "metr\n'  # torn, and gone on after it
    b"\x00\xff garbage\n"
    b"[1, 2]\n"
    b'{"step": "nine", "metrics": {"policy.kl": 0.1}}\n'
    b'{"step": 9, "metrics": 5}\n'
    b'{"step": 9, "metrics": {"policy.kl": 0.5, "mine": [1]}}\n'  # what is right of it is kept
    b'{"a kind of tomorrow": {"x": 1}}\n'  # no damage
    b"\n"
    b'{"step": 10, "metrics": {"poli'
)
COUNTS = {"cut_off": 2, "no_json": 2, "wrong_types": 3}
NOTE = "7 damaged lines of the recording left out (2 cut off, 2 not JSON, 3 of wrong types)"


def record(folder, damage=DAMAGE):
    with Recording(folder, config={"lr": 0.1}) as recording:
        for step in range(9):
            recording.write(step, {"policy.kl": 0.1, "reward.episode_return": float(step)})
    with (folder / FILE).open("ab") as file:
        file.write(damage)
    return folder


def test_damaged_lines_are_counted_by_kind(tmp_path):
    run = readers.read(record(tmp_path))
    assert run.damaged_lines == COUNTS
    assert NOTE in run.notes
    assert run["policy.kl"].count == 10


def test_a_whole_recording_has_none(tmp_path):
    run = readers.read(record(tmp_path, b""))
    assert run.damaged_lines == {}
    assert run.notes == ()


def test_the_same_while_it_grows(tmp_path):
    (found,) = readers.discover(record(tmp_path, DAMAGE + b"\n"))
    growing = GrowingRecording(found)
    growing.take()
    assert growing.run().damaged_lines == COUNTS
    growing.take()
    assert growing.run().damaged_lines == COUNTS
    assert NOTE in growing.run().notes


def test_a_line_that_is_too_long_is_one_line_however_it_is_read(tmp_path, monkeypatch):
    for place in ("weaklink.base.evidence.store.BoundedLines.__init__", "weaklink.collect.readers.growing"):
        if place.endswith("__init__"):
            monkeypatch.setattr(place, lambda self, file: self.__dict__.update(_file=file, _most=500, overlong=0))
        else:
            monkeypatch.setattr(f"{place}.LONGEST_LINE", 500)
            monkeypatch.setattr(f"{place}.BLOCK", 100)
    long = b'{"step": 9, "metrics": {"' + b"x" * 2000 + b'": 1}}\n{"step": 10, "metrics": {"policy.kl": 0.3}}\n'
    found = readers.discover(record(tmp_path, long))[0]
    run = found.read()[0]
    growing = GrowingRecording(found)
    growing.take()
    for one in (run, growing.run()):
        assert one.damaged_lines == {"too_long": 1}
        assert one["policy.kl"].last_step == 10.0


def test_the_report_and_the_json_say_so(tmp_path):
    folder = str(record(tmp_path))
    shown = CliRunner().invoke(make_app(), ["diagnose", folder, "--format", "json"])
    assert json.loads(shown.stdout)["damaged_lines"] == COUNTS
    plain = CliRunner().invoke(make_app(), ["diagnose", folder])
    assert "7 damaged lines" in " ".join(plain.stdout.split())


def test_what_is_cut_off_and_what_is_no_json():
    damage = lines.LineDamage()
    for content in (b'{"a": 1', b"{]}", b"nonsense", b"", b"  \n", b'{"a": 1}', None):
        damage.decode(content)
    assert damage.counts == {"cut_off": 1, "no_json": 2, "too_long": 1}
    assert lines.LineDamage(cut_off=1).notes == ["1 damaged line of the recording left out (1 cut off)"]
