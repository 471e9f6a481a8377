"""The sample was written by comet_ml 3.58 on Python 3.11.

OfflineExperiment(project_name="cartpole") without automatic logging; set_name("ppo-seed0");
log_parameters({"algo": "ppo", "learning_rate": 3e-4, "env": {"id": "CartPole-v1"}}); log_parameter("gamma", 0.99);
for i in range(10) log_metric("train/approx_kl", 0.01 * i, step=128 * i, epoch=i), which is NaN, inf and -inf at
i = 3, 4 and 5, and log_metrics({"rollout/ep_rew_mean": 20.0 + i, "nested": {"loss": 1 / (i + 1)}}, step=128 * i);
then log_metric("nostep", 1.0), log_histogram_3d([1, 2, 3], step=1) and end(). The archive was renamed.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.columns import series
from tests.readers.damage import flipped, garbage, only_read_errors, truncated
from weaklink.base.errors import CorruptLog, EmptyLog
from weaklink.collect.readers import comet

SAMPLE = Path(__file__).parent / "samples" / "comet" / "experiment-key.zip"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("comet")


def metric(name: object, value: object, step: object = 0, **payload: object) -> bytes:
    named = {"metricName": name, "metricValue": value, "step": step}
    return json.dumps({"type": "metric_msg", "payload": {"metric": named, **payload}}).encode()


def archive(folder: Path, *lines: bytes, packing: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / "made.zip"
    with zipfile.ZipFile(path, "w", packing) as made:
        made.writestr("experiment.json", "{}")
        made.writestr("messages.json", b"\n".join(lines))
    return path


def test_sample():
    raw = comet.read([SAMPLE])[0]
    assert raw.name == "ppo-seed0"
    assert raw.source == str(SAMPLE)
    assert raw.notes == []
    assert raw.config == {"algo": "ppo", "learning_rate": 0.0003, "env.id": "CartPole-v1", "gamma": 0.99}
    names = {"train/approx_kl", "rollout/ep_rew_mean", "nested/loss", "nostep", "process duration"}
    assert set(raw.columns) == names
    reward = series(raw, "rollout/ep_rew_mean")
    assert list(reward.steps) == [128.0 * i for i in range(10)]
    assert list(reward.values) == [20.0 + i for i in range(10)]
    assert reward.times is not None
    assert reward.times[0] == 1794709323.348
    assert list(series(raw, "nested/loss").values) == [1 / (i + 1) for i in range(10)]
    kl = series(raw, "train/approx_kl")
    assert list(kl.values) == [0.01 * i for i in (0, 1, 2, 6, 7, 8, 9)]
    assert kl.nonfinite is not None
    assert (kl.nonfinite.count, kl.nonfinite.nan) == (3, 1)
    assert (kl.nonfinite.first_step, kl.nonfinite.last_step) == (384.0, 640.0)


def test_handles(folder):
    assert comet.handles(SAMPLE)
    assert not comet.handles(SAMPLE.parent)
    assert not comet.handles(SAMPLE.with_name("missing.zip"))
    assert not comet.handles(Path(__file__))
    assert not comet.handles(Path("a\0b.zip"))
    other = folder / "other.zip"
    with zipfile.ZipFile(other, "w") as made:
        made.writestr("messages.json", "{}")
    assert not comet.handles(other)
    other.write_bytes(b"PK\x03\x04 and no archive")
    assert not comet.handles(other)


def test_steps_that_were_never_given_are_counted(folder):
    raw = comet.read([archive(folder, *(metric("a", value, None) for value in (5, 6, 7)))])[0]
    assert list(series(raw, "a").steps) == [0.0, 1.0, 2.0]


def test_context_goes_before_the_name(folder):
    raw = comet.read([archive(folder, metric("acc", 0.5, 3, context="train"), metric("acc", 0.25, 3))])[0]
    assert set(raw.columns) == {"train_acc", "acc"}


def test_odd_messages(folder):
    lines = (
        b"",
        b"{",
        b"[1]",
        b'{"type": "metric_msg"}',
        b'{"type": "metric_msg", "payload": {"metric": 5}}',
        metric("text", "hello"),
        metric("list", [1]),
        metric("a", 1, "NaN"),
        metric("a", 10**400, 1),
        metric("b", True, 2),
        b"[" * 100_000,
    )
    raw = comet.read([archive(folder, *lines)])[0]
    assert set(raw.columns) == {"a", "b"}
    assert series(raw, "a").nonfinite is not None
    assert raw.notes == ["3 line(s) of messages.json hold no JSON: they were left out"]


def test_very_long_line_is_left_out(folder):
    long = metric("x" * (3 * comet.LONGEST_LINE), 1)
    raw = comet.read([archive(folder, metric("a", 1), long, metric("a", 2, 1))])[0]
    assert list(series(raw, "a").values) == [1.0, 2.0]
    assert set(raw.columns) == {"a"}


def test_archive_that_unpacks_without_end(folder, monkeypatch):
    monkeypatch.setattr(comet, "MOST_BYTES", 1000)
    raw = comet.read([archive(folder, *(metric("a", 1, step) for step in range(100)))])[0]
    assert 0 < len(series(raw, "a")) < 100
    assert raw.notes == ["messages.json holds more than 1000 bytes: the rest was left out"]


def test_empty_archive(folder):
    with pytest.raises(EmptyLog, match=r"made\.zip holds none"):
        comet.read([archive(folder)])


def test_archive_that_is_packed_or_filled_otherwise(folder):
    with pytest.raises(CorruptLog, match="stored or deflated"):
        comet.read([archive(folder, metric("a", 1), packing=zipfile.ZIP_LZMA)])
    path = folder / "bare.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("experiment.json", "{}")
    with pytest.raises(CorruptLog, match=r"must hold messages\.json"):
        comet.read([path])


def test_damage_in_the_middle_keeps_what_came_before(folder):
    path = archive(folder, *(metric("a", 1, step) for step in range(5000)), packing=zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    raw = comet.read([path])[0]
    assert len(series(raw, "a")) > 4000
    assert "damaged" in raw.notes[0] or "no JSON" in raw.notes[0]


def test_one_bad_path_among_several(folder):
    bad = folder / "bad.zip"
    bad.write_bytes(SAMPLE.read_bytes()[:600])
    logs = comet.read([bad, SAMPLE])
    assert len(logs) == 1
    assert "bad.zip" in logs[0].notes[0]


@settings(max_examples=50, deadline=None)
@given(content=garbage(comet.ZIP_MAGIC))
def test_garbage(folder, content):
    only_read_errors(comet, folder / "garbage.zip", content)


KEYS = st.sampled_from(("metric", "param", "key", "value", "metricName", "metricValue", "paramName", "step"))
ANYTHING = st.none() | st.text(max_size=3) | st.floats() | st.integers()
NESTED = st.recursive(ANYTHING, lambda inner: st.dictionaries(KEYS, inner, max_size=4), max_leaves=6)


@settings(max_examples=40, deadline=None)
@given(line=NESTED)
def test_messages_of_any_shape(folder, line):
    kinds = ("metric_msg", "parameter_msg", "log_other")
    lines = [json.dumps({"type": kind, "payload": line}).encode() for kind in kinds]
    only_read_errors(comet, archive(folder, *lines))


@settings(max_examples=80, deadline=None)
@given(content=flipped(SAMPLE.read_bytes(), most=20))
def test_flipped_bits(folder, content):
    only_read_errors(comet, folder / "flipped.zip", content)


@settings(max_examples=40, deadline=None)
@given(content=truncated(SAMPLE.read_bytes()))
def test_truncated(folder, content):
    only_read_errors(comet, folder / "truncated.zip", content)
