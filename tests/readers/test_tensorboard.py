"""The reader of event files against a writer of its own, real samples, and damage of every kind.

The samples `cleanrl` (torch's SummaryWriter) and `sb3` (Stable-Baselines3's logger) were written by those; `tf2` was
written by `writer.py` beside them, as TensorFlow 2 lays its scalars out.
"""

from __future__ import annotations

import math
import struct
import tempfile
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.columns import series
from tests.readers.damage import only_read_errors
from tests.readers.samples.tensorboard.writer import (
    TENSORS,
    event,
    field,
    masked,
    record,
    scalar,
    slow_crc,
    tensor,
    text,
    whole,
)
from weaklink.base.errors import CorruptLog, EmptyLog, ReadError
from weaklink.base.evidence.series import SeriesBuilder
from weaklink.collect.readers import tensorboard
from weaklink.collect.readers._crc32c import compute_crc32c, compute_masked_crc32c_of_rows
from weaklink.collect.readers.raw import RawLog

SAMPLES = Path(__file__).parent / "samples" / "tensorboard"
NAME = "events.out.tfevents.1700000000.host.1.0"


def read(path: Path, *blobs: bytes, name: str = NAME) -> RawLog:
    (path / name).write_bytes(b"".join(blobs))
    (raw,) = tensorboard.read([path / name])
    return raw


def points(raw: RawLog, tag: str) -> list[tuple[float, float]]:
    found = series(raw, tag)
    return list(zip(found.steps.tolist(), found.values.tolist(), strict=True))


def test_checksums_agree_with_the_definition():
    assert compute_crc32c(b"123456789") == 0xE3069283
    random = np.random.default_rng(0)
    for length in (0, 1, 4, 63, 4095, 4096, 4097, 9000):
        data = random.bytes(length)
        assert compute_crc32c(data) == slow_crc(data)
    rows = random.integers(0, 256, (5, 24), dtype=np.uint8)
    for length in range(21):
        expected = [int.from_bytes(masked(row[:length].tobytes()), "little") for row in rows]
        assert compute_masked_crc32c_of_rows(rows, length).tolist() == expected


def test_it_knows_its_files_by_name(tmp_path):
    (tmp_path / NAME).touch()
    (tmp_path / "progress.csv").touch()
    assert tensorboard.handles(tmp_path / NAME)
    assert not tensorboard.handles(tmp_path / "progress.csv")
    assert not tensorboard.handles(tmp_path)
    assert not tensorboard.handles(tmp_path / "tfevents.missing")
    assert not tensorboard.handles(Path("tfevents\0"))


def test_a_log_of_cleanrl():
    (raw,) = tensorboard.read(sorted((SAMPLES / "cleanrl").iterdir()))
    assert (raw.name, raw.notes) == ("cleanrl", [])
    assert list(raw.columns) == ["charts/episodic_return", "losses/value_loss", "losses/entropy"]
    assert points(raw, "charts/episodic_return") == [(i * 128, i * 0.5) for i in range(60)]
    assert points(raw, "losses/entropy") == [(i * 128, -i / 8) for i in range(60)]
    found = series(raw, "losses/value_loss")
    assert (found.count, len(found), found.nonfinite.nan, found.nonfinite.first_step) == (60, 59, 1, 50 * 128)
    assert series(raw, "charts/episodic_return").times.tolist() == [1.7e9 + i for i in range(60)]
    assert raw.config["env_id"] == "CartPole-v1"
    assert raw.config["learning_rate"] == "0.00025"


def test_a_log_of_stable_baselines3():
    (raw,) = tensorboard.read(sorted((SAMPLES / "sb3").iterdir()))
    assert points(raw, "train/approx_kl") == [(i * 2048, i * 0.25) for i in range(1, 41)]
    assert len(raw.columns) == 5
    assert raw.config == {"algorithm": "PPO", "learning_rate": 3e-4, "gamma": 0.99, "normalize": 1.0}


def test_a_log_of_tensorflow_2():
    (raw,) = tensorboard.read(sorted((SAMPLES / "tf2").iterdir()))
    assert points(raw, "episode return") == [(i * 10, i / 4) for i in range(40)]


@pytest.mark.parametrize("count", [1, 50])
@pytest.mark.parametrize(("kind", "body", "value"), TENSORS.values(), ids=TENSORS)
def test_tensors_of_one_number(tmp_path, count, kind, body, value):
    for shape in (b"", field(2, whole(1, 1))):
        raw = read(tmp_path, *(event(step, tensor("x", kind, body, shape)) for step in range(count)))
        assert points(raw, "x") == [(step, value) for step in range(count)]


def test_what_is_no_single_number_is_passed_over(tmp_path):
    two = tensor("two", 1, field(4, struct.pack("<ff", 1, 2)), field(2, whole(1, 2)))
    none = tensor("none", 1, b"", field(2, b""))
    histogram = field(1, b"histogram") + field(5, struct.pack("<Bd", 0x09, 1.0))
    image = tensor("image", 7, field(8, b"|a|b|\n|-|-|\n|c|d|"), b"", "images")
    events = [event(step, two, none, histogram, image) for step in range(40)]
    raw = read(tmp_path, *events, event(1, scalar("x", 1.0)))
    assert (list(raw.columns), raw.config, raw.notes) == (["x"], {}, [])


@pytest.mark.parametrize("tags", [1, 10, 90])
def test_points_keep_the_order_of_the_file(tmp_path, tags):
    random = np.random.default_rng(1)
    expected: dict[str, list[tuple[int, float]]] = {}
    blobs = []
    for step in range(3000 // tags):
        for tag in range(tags):
            name = "t" * (1 + tag % 4) + str(tag)
            value = float(np.float32(random.normal()))
            expected.setdefault(name, []).append((step // 2, value))
            blobs.append(event(step // 2, scalar(name, value)))
    raw = read(tmp_path, *blobs)
    assert list(raw.columns) == list(expected)
    assert all(points(raw, name) == expected[name] for name in expected)


@pytest.mark.parametrize("count", [3, 100])
def test_events_of_several_values(tmp_path, count):
    raw = read(tmp_path, *(event(i, scalar("a", i), scalar("b", -i), scalar("a", i + 0.5)) for i in range(count)))
    assert points(raw, "b") == [(i, -i) for i in range(count)]
    assert points(raw, "a") == [(i, i + half) for i in range(count) for half in (0, 0.5)]


def test_steps_of_any_size(tmp_path):
    steps = [-5, 1, 127, 128, 1 << 20, 1 << 35, 1 << 52]
    raw = read(tmp_path, *(event(step, scalar(str(step), index)) for index in range(50) for step in steps))
    for step in steps:
        assert points(raw, str(step)) == [(step, index) for index in range(50)]


def test_records_of_other_lengths_in_between_change_no_order(tmp_path):
    steps = [step for pair in zip(range(100), range(1000, 1100), strict=True) for step in pair]
    written = [event(step, scalar("x", index)) for index, step in enumerate(steps)]
    handed_over: list[float] = []
    with mock.patch.object(SeriesBuilder, "extend", lambda _, steps, values, times: handed_over.extend(values)):
        read(tmp_path, *written)
    assert handed_over == list(range(200))


def test_a_long_step_is_not_taken_for_a_short_one_and_another_field(tmp_path):
    summary = field(5, field(1, scalar("x", 1.0)))
    long, short = whole(2, 1 << 14), whole(2, 5) + whole(15, 7)
    assert len(short) == len(long)
    raw = read(tmp_path, *(record(head + summary) for head in [long] * 50 + [short] * 50))
    assert set(series(raw, "x").steps) <= {5, 1 << 14}
    raw = read(tmp_path, *(record(head + summary) for head in [short] * 50 + [long] * 50))
    assert points(raw, "x") == [(5, 1.0)] * 50 + [(1 << 14, 1.0)] * 50


def test_nan_and_infinity_are_counted(tmp_path):
    values = [1.0, math.nan, math.inf, 2.0] * 20
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        signalling = field(1, b"x") + b"\x15" + struct.pack("<I", 0x7FA00000)
        raw = read(tmp_path, *(event(i, scalar("x", value)) for i, value in enumerate(values)), event(80, signalling))
    found = series(raw, "x")
    assert (found.count, len(found), found.nonfinite.count, found.nonfinite.nan) == (81, 40, 41, 21)


def test_a_resumed_run_replaces_what_it_wrote_again(tmp_path):
    older, newer = tmp_path / "events.out.tfevents.1700000000.a.9.0", tmp_path / "events.out.tfevents.1700000900.a.1.0"
    older.write_bytes(b"".join(event(step, scalar("x", 0.0)) for step in range(100)))
    newer.write_bytes(b"".join(event(step, scalar("x", 1.0)) for step in range(50, 150)))
    (raw,) = tensorboard.read([newer, older])
    found = series(raw, "x")
    assert found.values[found.steps < 50].tolist() == [0.0] * 50
    assert found.values[found.steps > 50].tolist() == [1.0] * 99
    assert raw.source == str(tmp_path)


def test_files_without_a_stamp_are_ordered_by_their_first_event(tmp_path):
    late, early = tmp_path / "a.tfevents", tmp_path / "b.tfevents"
    late.write_bytes(event(2, scalar("second", 2.0), time=1.8e9))
    early.write_bytes(event(1, scalar("first", 1.0), time=1.7e9))
    (raw,) = tensorboard.read([late, early])
    assert list(raw.columns) == ["first", "second"]


def test_hyper_parameters_in_texts(tmp_path):
    raw = read(
        tmp_path,
        event(0, text("hyperparameters/text_summary", "|param|value|\n|-|-|\n|lr|0.1|\n|env|a|\n|empty||")),
        event(0, text("args/text_summary", '{"beta": 0.04, "deep": {"x": 1}}')),
        event(0, text("model_config/text_summary", '{"temperature": 2}')),
        event(0, text("config", "Namespace(gamma=0.99, device=device('cpu'), hidden=[64, 64])")),
        event(0, text("remark", "a | b"), text("torn", "{" * 5000), text("call/config", "Namespace(x=-" + "(" * 5000)),
        event(1, scalar("x", 1.0)),
    )
    assert raw.config == {
        "lr": "0.1",
        "env": "a",
        "empty": "",
        "beta": 0.04,
        "deep": {"x": 1},
        "model_config": {"temperature": 2},
        "gamma": 0.99,
        "hidden": [64, 64],
    }


SMALL = [event(step, scalar("x", step)) for step in range(6)]


def test_a_file_cut_at_any_byte_gives_what_is_whole(tmp_path):
    blob = b"".join(SMALL)
    edges = np.cumsum([len(part) for part in SMALL]).tolist()
    for cut in range(len(blob)):
        complete = sum(edge <= cut for edge in edges)
        if not complete:
            with pytest.raises(EmptyLog):
                read(tmp_path, blob[:cut])
            continue
        raw = read(tmp_path, blob[:cut])
        assert points(raw, "x") == [(step, step) for step in range(complete)]
        torn = [f"the last record of {NAME} is not whole yet: it was left out"]
        assert raw.notes == ([] if cut in edges else torn)


@pytest.mark.parametrize("count", [6, 200])
def test_a_damaged_record_is_left_out(tmp_path, count):
    parts = [event(step, scalar("x", step)) for step in range(1, count + 1)]
    place = sum(map(len, parts[:2]))
    parts[2] = parts[2][:20] + bytes([parts[2][20] ^ 1]) + parts[2][21:]
    raw = read(tmp_path, *parts)
    assert points(raw, "x") == [(step, step) for step in range(1, count + 1) if step != 3]
    assert raw.notes == [f"the record at byte {place} of {NAME} is damaged: it was left out"]
    parts[4] = parts[4][:-1] + bytes([parts[4][-1] ^ 1])
    assert read(tmp_path, *parts).notes == [
        f"2 records of {NAME} are damaged, the first at byte {place}: they were left out"
    ]


def test_nothing_is_read_past_a_damaged_length(tmp_path):
    raw = read(tmp_path, *SMALL[:3], b"\xff" * 12, *SMALL[3:])
    assert len(raw.columns["x"]) == 3
    assert raw.notes == [f"{NAME} is damaged at byte {len(b''.join(SMALL[:3]))}: what follows was not read"]


@pytest.mark.parametrize("length", [1 << 25, 1 << 40, (1 << 64) - 1])
def test_an_absurd_length_costs_no_memory(tmp_path, length):
    header = struct.pack("<Q", length)
    raw = read(tmp_path, *SMALL, header + masked(header), bytes(100))
    assert len(raw.columns["x"]) == 6
    assert raw.notes == [f"the last record of {NAME} is not whole yet: it was left out"]


def test_a_huge_record_is_passed_over(tmp_path):
    header = struct.pack("<Q", 1 << 25)
    with (tmp_path / NAME).open("wb") as file:
        file.write(b"".join(SMALL) + header + masked(header))
        file.seek((1 << 25) + 4, 1)
        file.write(event(9, scalar("x", 9.0)))
    (raw,) = tensorboard.read([tmp_path / NAME])
    assert points(raw, "x")[-1] == (9, 9)
    assert "16 MiB" in raw.notes[0]


def test_records_longer_than_a_block(tmp_path, monkeypatch):
    monkeypatch.setattr("weaklink.collect.readers._tfrecord._BLOCK", 100)
    image = event(3, field(1, b"image") + field(4, bytes(5000)))
    raw = read(tmp_path, *SMALL, image, *(event(step, scalar("x", step)) for step in range(6, 90)))
    assert points(raw, "x") == [(step, step) for step in range(90)]
    assert raw.notes == []


def test_a_sound_record_that_is_no_event(tmp_path):
    raw = read(tmp_path, record(b""), *[record(b"\xff" * 40)] * 50, *SMALL)
    assert len(raw.columns["x"]) == 6
    assert raw.notes == [f"50 records of {NAME} are damaged, the first at byte 16: they were left out"]


@pytest.mark.parametrize("content", [b"", event(0)])
def test_a_log_without_a_number_is_refused(tmp_path, content):
    with pytest.raises(EmptyLog, match="must hold at least one scalar: found none in 1 event file"):
        read(tmp_path, content)


@pytest.mark.parametrize("content", [record(b"\xff" * 40), b"not an event file", bytes(64)])
def test_a_damaged_log_without_a_number_is_called_damaged(tmp_path, content):
    with pytest.raises(CorruptLog, match="must be whole"):
        read(tmp_path, content)


def test_no_path_is_refused():
    with pytest.raises(EmptyLog):
        tensorboard.read([])


def test_a_file_that_cannot_be_opened(tmp_path):
    missing = tmp_path / "events.out.tfevents.1800000000.host.1.0"
    with pytest.raises(ReadError, match="Check its path and permissions"):
        tensorboard.read([missing])
    (tmp_path / NAME).write_bytes(b"".join(SMALL))
    (raw,) = tensorboard.read([missing, tmp_path / NAME])
    assert raw.notes == [f"{missing.name} could not be read (No such file or directory): it was left out"]


def read_or_refuse(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        only_read_errors(tensorboard, Path(folder, NAME), data)


MIXED = (
    text("args/text_summary", '{"lr": 0.1}'),
    scalar("x", 1.0),
    *(tensor(name, kind, body) for name, (kind, body, _) in TENSORS.items()),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 7)), max_size=20))
def test_flipped_bits_in_a_file(flips):
    data = bytearray(b"".join(event(step, *MIXED) for step in range(2)) + b"".join(SMALL))
    for place, bit in flips:
        data[place % len(data)] ^= 1 << bit
    read_or_refuse(bytes(data))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=8), st.booleans())
def test_events_of_any_bytes_with_right_checksums(changes, many):
    data = bytearray(event(1, *MIXED)[12:-4])
    for place, byte in changes:
        data[place % len(data)] = byte
    read_or_refuse(record(bytes(data)) * (40 if many else 1))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.booleans())
def test_garbage(data, framed):
    read_or_refuse(record(data) if framed else data)
