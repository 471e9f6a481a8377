"""Both samples were written by wandb 0.31.0 on Python 3.11 with WANDB_MODE=offline.

`run-sample01.wandb`: wandb.init(name="ppo-cartpole", id="sample01", config={"algo": "ppo", "learning_rate": 3e-4,
"env": {"id": "CartPole-v1", "wrappers": ["a"]}, "n_steps": 128}); then for i in range(20)
run.log({"train/approx_kl": 0.01 * i, "rollout/ep_rew_mean": 20.0 + i, "nested": {"loss": 1 / (i + 1), "deep":
{"x": i}}, "text": "hello", "flag": i % 2 == 0}, step=128 * i), where the KL is NaN, inf and -inf at i = 5, 6 and 7
and a histogram, an image and a table go with i = 8, 9 and 10; then config.update({"gamma": 0.99}),
summary["best"] = 5.0 and finish().

`run-typed01.wandb`: Settings(x_history_value_encoding="json,typed"), name="typed", config={"algo": "grpo", "note":
"x" * 33000} (a record over two blocks), then for i in range(6) run.log({"train/loss": 0.5 * i,
"train/global_step": 10 * i, "count": -i, "flag": i % 2 == 0, "text": "hello", "bad": [nan, inf, -inf, 1, 2,
3][i], "wide": 2**70}).
"""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.columns import series
from tests.readers.damage import flipped, only_read_errors, truncated
from weaklink.base.errors import CorruptLog, EmptyLog, ReadError
from weaklink.collect.readers import wandb_offline
from weaklink.collect.readers.raw import RawLog

SAMPLES = Path(__file__).parent / "samples" / "wandb"
SAMPLE = SAMPLES / "run-sample01.wandb"
TYPED = SAMPLES / "run-typed01.wandb"
BLOCK = 32 * 1024
TORN = "the last record of run-x.wandb is not whole yet: it was left out"


def varint(number: int) -> bytes:
    parts = []
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    return bytes((*parts, number))


def field(number: int, content: bytes | int) -> bytes:
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def item(*path: str, value: str) -> bytes:
    return field(1, b"".join(field(2, part.encode()) for part in path) + field(16, value.encode()))


def row(step: int, *items: bytes) -> bytes:
    return field(2, b"".join(items) + field(2, field(1, step)))


def number_row(step: int, value: str = "1.5") -> bytes:
    return row(step, item("loss", value=value), item("_step", value=str(step)))


def framed(*records: bytes) -> bytes:
    """The records in LevelDB's framing as wandb writes it."""
    out = bytearray(b":W&B\xe1\xbe\x00")
    for record in records:
        first = True
        while True:
            left = BLOCK - len(out) % BLOCK
            if left < 7:
                out += bytes(left)
                continue
            data, record = record[: left - 7], record[left - 7 :]
            kind = (1 if first else 4) if not record else (2 if first else 3)
            out += struct.pack("<IHB", zlib.crc32(bytes((kind,)) + data), len(data), kind) + data
            first = False
            if not record:
                break
    return bytes(out)


def written(folder: Path, content: bytes, name: str = "run-x.wandb") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def read_bytes(folder: Path, content: bytes) -> RawLog:
    return wandb_offline.read([written(folder, content)])[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("wandb")


def test_sample_numbers_and_steps():
    raw = wandb_offline.read([SAMPLE])[0]
    reward = series(raw, "rollout/ep_rew_mean")
    assert list(reward.steps) == [128.0 * i for i in range(20)]
    assert list(reward.values) == [20.0 + i for i in range(20)]
    assert reward.times is not None
    assert reward.times[0] == 1794709310.681754
    assert list(series(raw, "nested/loss").values) == [1 / (i + 1) for i in range(20)]
    assert list(series(raw, "nested/deep/x").values) == list(range(20))
    assert list(series(raw, "flag").values) == [1.0, 0.0] * 10


def test_sample_not_finite():
    kl = series(wandb_offline.read([SAMPLE])[0], "train/approx_kl")
    assert kl.nonfinite is not None
    assert (kl.count, kl.nonfinite.count, kl.nonfinite.nan) == (20, 3, 1)
    assert (kl.nonfinite.first_step, kl.nonfinite.last_step) == (640.0, 896.0)


def test_sample_otherwise():
    raw = wandb_offline.read([SAMPLE])[0]
    assert set(raw.columns) == {"train/approx_kl", "rollout/ep_rew_mean", "nested/loss", "nested/deep/x", "flag"}
    assert (raw.name, raw.source, raw.notes) == ("ppo-cartpole", str(SAMPLE), [])
    environment = {"id": "CartPole-v1", "wrappers": ["a"]}
    trained = {"algo": "ppo", "learning_rate": 0.0003, "n_steps": 128, "gamma": 0.99}
    assert raw.config == {**trained, "env": environment}


def test_typed_sample_over_two_blocks():
    raw = wandb_offline.read([TYPED])[0]
    assert raw.config == {"algo": "grpo", "note": "x" * 33000}
    loss = series(raw, "train/loss")
    assert list(loss.steps) == [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]
    assert list(loss.values) == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    assert list(series(raw, "count").values) == [0.0, -1.0, -2.0, -3.0, -4.0, -5.0]
    assert list(series(raw, "wide").values) == [float(2**70)] * 6
    bad = series(raw, "bad")
    assert list(bad.values) == [1.0, 2.0, 3.0]
    assert bad.nonfinite is not None
    assert (bad.nonfinite.count, bad.nonfinite.nan) == (3, 1)
    assert set(raw.columns) == {"train/loss", "count", "flag", "bad", "wide"}


def test_typed_values_without_json(folder):
    zigzag = field(1, field(2, b"count") + field(5, 9))
    double = field(1, field(2, b"loss") + varint(6 << 3 | 1) + struct.pack("<d", 0.25))
    text = field(1, field(2, b"text") + field(7, b"hello"))
    boolean = field(1, field(2, b"done") + field(4, 1))
    raw = read_bytes(folder, framed(row(7, zigzag, double, text, boolean)))
    assert list(series(raw, "count").values) == [-5.0]
    assert list(series(raw, "loss").values) == [0.25]
    assert list(series(raw, "done").values) == [1.0]
    assert list(series(raw, "loss").steps) == [7.0]
    assert "text" not in raw.columns


def test_handles(folder):
    assert wandb_offline.handles(SAMPLE)
    for other in (SAMPLES, SAMPLES / "run-missing.wandb", Path(__file__), Path("a\0b.wandb")):
        assert not wandb_offline.handles(other)
    assert wandb_offline.handles(written(folder, b"", "run-just-begun.wandb"))
    assert wandb_offline.handles(written(folder, b":W", "run-just-begun.wandb"))
    assert not wandb_offline.handles(written(folder, b"PK\x03\x04", "run-zip.wandb"))


def test_trainers_counter_before_wandbs(folder):
    rows = (row(i, item("loss", value="1"), item("global_step", value=str(500 * i))) for i in range(3))
    raw = read_bytes(folder, framed(*rows))
    assert list(series(raw, "loss").steps) == [0.0, 500.0, 1000.0]
    assert set(raw.columns) == {"loss"}
    loss = series(read_bytes(folder, framed(row(3, item("loss", value="1"), item("global_step", value="NaN")))), "loss")
    assert (list(loss.steps), loss.nonfinite) == ([3.0], None)


def test_nested_values_and_media_in_one_json(folder):
    value = json.dumps({"a": {"b": 1}, "image": {"_type": "image-file", "width": 4}, "list": [1, 2], "s": "NaN"})
    raw = read_bytes(folder, framed(row(0, item("outer", value=value))))
    assert set(raw.columns) == {"outer/a/b", "outer/s"}


def test_config_is_updated_and_removed(folder):
    update = field(5, field(1, field(1, b"lr") + field(16, b"0.1")) + field(1, field(1, b"gone") + field(16, b"1")))
    nested = field(5, field(1, field(2, b"env") + field(2, b"id") + field(16, b'"Pong"')))
    internal = field(5, field(1, field(1, b"_wandb") + field(16, b'{"a": 1}')))
    remove = field(5, field(2, field(1, b"gone")))
    raw = read_bytes(folder, framed(update, nested, internal, remove, number_row(0)))
    assert raw.config == {"lr": 0.1, "env.id": "Pong"}


def test_record_over_many_blocks(folder):
    big = field(5, field(1, field(1, b"blob") + field(16, json.dumps("y" * 100_000).encode())))
    raw = read_bytes(folder, framed(number_row(0), big, number_row(1)))
    assert raw.config == {"blob": "y" * 100_000}
    assert list(series(raw, "loss").steps) == [0.0, 1.0]
    assert raw.notes == []


def test_records_at_every_offset_of_a_block_end(folder):
    for filler in range(BLOCK - 60, BLOCK - 5):
        content = framed(field(4, bytes(filler)), number_row(1), number_row(2))
        raw = read_bytes(folder, content)
        assert list(series(raw, "loss").steps) == [1.0, 2.0]
        assert raw.notes == []


def test_live_file_keeps_what_is_whole(folder):
    whole = framed(*(number_row(step) for step in range(10)))
    for cut in range(1, 20):
        raw = read_bytes(folder, whole[:-cut])
        assert list(series(raw, "loss").steps) == list(range(9))
        assert raw.notes == [TORN]
    raw = read_bytes(folder, framed(number_row(0), field(4, bytes(50_000)))[:BLOCK])
    assert raw.notes == [TORN]
    set_aside = bytes(5000)
    assert read_bytes(folder, framed(number_row(0)) + set_aside).notes == []


def test_damaged_piece_is_left_out_and_the_rest_read(folder):
    records = [number_row(step) for step in range(10)]
    content = bytearray(framed(*records))
    content[content.index(records[4]) + 8] ^= 0xFF
    raw = read_bytes(folder, bytes(content))
    assert list(series(raw, "loss").steps) == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert raw.notes == ["1 damaged piece(s) of run-x.wandb were left out"]


def test_damaged_length_costs_one_block(folder):
    records = [field(4, bytes(200)) + number_row(step) for step in range(400)]
    content = bytearray(framed(*records))
    content[content.index(records[3]) - 2] = 0xFF
    raw = read_bytes(folder, bytes(content))
    steps = list(series(raw, "loss").steps)
    assert steps[:3] == [0.0, 1.0, 2.0]
    assert steps[-1] == 399.0
    assert len(steps) > 200
    assert len(raw.notes) == 1


@pytest.mark.parametrize("value", ["{", "nonsense", "[" * 100_000, '{"a":' * 100_000, "1" * 5000, "-" + "9" * 400])
def test_odd_json_raises_nothing(folder, value):
    raw = read_bytes(folder, framed(number_row(0), number_row(1, value), number_row(2)))
    assert {0.0, 2.0} <= set(series(raw, "loss").steps)


def test_record_that_is_no_protobuf_is_left_out(folder):
    raw = read_bytes(folder, framed(b"\xff" * 30, b"\x0b", field(2, b"\x0a\xff\xff\xff\xff\x0f"), number_row(1)))
    assert raw.notes == ["3 damaged piece(s) of run-x.wandb were left out"]


def test_files_without_numbers(folder):
    for content in (b"", b":W&B", framed(), framed(field(5, b""))):
        with pytest.raises(EmptyLog, match=r"run-x\.wandb holds none"):
            read_bytes(folder, content)
    with pytest.raises(CorruptLog, match="damaged piece"):
        read_bytes(folder, framed() + b"\x99" * 1000)
    with pytest.raises(ReadError, match="No such file"):
        wandb_offline.read([SAMPLES / "run-missing.wandb"])


def test_one_bad_file_among_several(folder):
    logs = wandb_offline.read([written(folder, framed() + b"\x99" * 1000), SAMPLE])
    assert [raw.name for raw in logs] == ["ppo-cartpole"]
    assert "run-x.wandb" in logs[0].notes[0]


@settings(max_examples=100, deadline=None)
@given(content=st.binary(max_size=400), number=st.sampled_from((2, 5, 17)))
def test_garbage(folder, content, number):
    framed_content = framed(content, field(number, content), field(2, field(1, content)))
    for spoilt in (content, framed() + content, framed_content):
        only_read_errors(wandb_offline, folder / "run-garbage.wandb", spoilt)


@settings(max_examples=60, deadline=None)
@given(content=flipped(SAMPLE.read_bytes(), most=8))
def test_flipped_bits(folder, content):
    only_read_errors(wandb_offline, folder / "run-flipped.wandb", content)


@settings(max_examples=60, deadline=None)
@given(content=truncated(SAMPLE.read_bytes()))
def test_truncated(folder, content):
    only_read_errors(wandb_offline, folder / "run-truncated.wandb", content)
