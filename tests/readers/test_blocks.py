"""Large tables are read in blocks, and every number, remark and order is what reading row by row gives."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weaklink.base.evidence.series import Provenance
from weaklink.collect.readers import csv_table
from weaklink.collect.readers._digits import parse_cells
from weaklink.collect.readers.raw import RawLog

PLAIN = st.one_of(
    st.integers(-(10**12), 10**12).map(str),
    st.floats(allow_nan=False).map(repr),
    st.floats(-1e4, 1e4).map("{:g}".format),
    st.floats(-1e4, 1e4).map("{:.8f}".format),
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(lambda value: str(np.float32(value))),
    st.from_regex(r"-?[0-9]{0,11}\.?[0-9]{0,11}", fullmatch=True).filter(lambda text: text.strip("-.")),
    st.sampled_from(["nan", "inf", "-inf", "0", "-0", "-0.0", ".5", "5.", "1e-3", "+7", "00012", "99999999.99999999"]),
)
ODD = st.sampled_from(
    ["", "", "", "x", "True", "1_000", " 2 ", '"3"', '"a, b"', '"two\nlines"', "1.2.3", "-", ".", "1:5", "²", "1\r2"]
)


def logged(path: Path, *, in_blocks: bool, size: int = 1 << 19) -> RawLog:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("weaklink.collect.readers._files.LARGE", 0 if in_blocks else 1 << 60)
        patch.setattr("weaklink.collect.readers._blocks.SIZE", size)
        return csv_table.read([path])[0]


def bits(log: RawLog) -> dict[str, list]:
    """All that a log holds, so that NaN equals NaN and 0.0 differs from -0.0."""
    found = {}
    for key, builder in log.columns.items():
        series = builder.build(key, Provenance(key))
        arrays = [series.steps, series.values, series.lows, series.highs]
        arrays += [series.times] if series.times is not None else []
        found[key] = [*(array.tobytes() for array in arrays), series.count, str(series.nonfinite)]
    return found


def assert_alike(path: Path, size: int = 1 << 19) -> RawLog:
    careful, quick = logged(path, in_blocks=False), logged(path, in_blocks=True, size=size)
    assert list(quick.columns) == list(careful.columns)
    assert bits(quick) == bits(careful)
    assert (quick.axis, quick.notes) == (careful.axis, careful.notes)
    return quick


@given(st.lists(PLAIN, min_size=1, max_size=40))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_cell_is_the_float_that_python_reads(texts):
    read = parse_cells(",".join(texts).encode() + b"\n", ",", len(texts))
    assert read is not None
    assert read.missing is None
    expected = [struct.pack("d", float(text)) for text in texts]
    assert [struct.pack("d", value) for value in read.values[0].tolist()] == expected


@given(st.lists(st.floats(allow_nan=False).map(repr), min_size=4, max_size=30), st.sampled_from([",", ";", "\t"]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_cells_of_many_digits_and_a_negative_zero(texts, delimiter):
    for row in (texts, [*texts, "-0"], [*texts, "-0.0"], [*texts, "nan"], [*texts, "00"]):
        read = parse_cells(delimiter.join(row).encode() + b"\n", delimiter, len(row))
        assert read is not None
        expected = [struct.pack("d", float(text)) for text in row]
        assert [struct.pack("d", value) for value in read.values[0].tolist()] == expected


@given(
    st.lists(st.lists(st.one_of(PLAIN, PLAIN, PLAIN, ODD), min_size=1, max_size=5), max_size=30),
    st.sampled_from(["step,loss,kl", "a,step,time", "loss,,kl", "a,a,b", "steps,reward,x", "only"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "7", "7,8", "7,8,9"]),
    st.integers(8, 200),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_table_is_read_alike(tmp_path_factory, rows, header, end, tail, size):
    path = tmp_path_factory.mktemp("table") / "progress.csv"
    path.write_bytes(end.join([header, *(",".join(row) for row in rows), tail]).encode())
    assert_alike(path, size)


@given(st.data(), st.integers(2, 4), st.integers(8, 300))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_regular_tables_with_gaps_are_read_alike(tmp_path_factory, data, columns, size):
    cell = st.one_of(PLAIN, PLAIN, PLAIN, st.just(""))
    rows = data.draw(st.lists(st.lists(cell, min_size=columns, max_size=columns), min_size=1, max_size=30))
    path = tmp_path_factory.mktemp("table") / "progress.csv"
    header = ",".join(["time/total_timesteps", "train/loss", "time/time_elapsed", "rollout/ep_rew_mean"][:columns])
    path.write_text("\n".join([header, *(",".join(row) for row in rows), ""]), encoding="utf-8")
    assert_alike(path, size)


def test_a_long_regular_table(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40_000, 5))
    values[12_345, 2] = 77.0
    path = tmp_path / "progress.csv"
    with path.open("w") as file:
        file.write("time/total_timesteps,time/time_elapsed,a,b,c\n")
        for at, row in enumerate(values):
            file.write(f"{at * 10},{at / 7:.3f}," + ",".join(f"{value:g}" for value in row[2:]) + "\n")
    log = assert_alike(path, 1 << 15)
    series = log.columns["a"].build("a", Provenance("a"))
    assert series.highs.max() == 77.0
    assert series.times is not None
    assert log.axis == "env_steps"


@pytest.mark.parametrize("place", [100, 3_000, 11_999])
@pytest.mark.parametrize("line", ["nan,nan,nan", "1,,", "step,kl,loss", "garbage", '"5",6,7', "1,2,3,4,5", ""])
def test_one_odd_line_in_a_long_table(tmp_path, place, line):
    rows = [f"{at},{math.sin(at / 1000):.5f},{at % 7}" for at in range(12_000)]
    rows.insert(place, line)
    path = tmp_path / "progress.csv"
    path.write_text("step,loss,kl\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert_alike(path, 1 << 16)


@pytest.mark.parametrize("tail", ["12000,0.5", "12000,0.5,1", "12000"])
def test_a_torn_last_line_of_a_long_table(tmp_path, tail):
    rows = [f"{at},{at % 7}.25,{at % 3}" for at in range(12_000)]
    path = tmp_path / "progress.csv"
    path.write_text("step,loss,kl\n" + "\n".join(rows) + f"\n{tail}", encoding="utf-8")
    assert_alike(path, 1 << 16)


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "progress.csv"
    rows = b"".join(b"%d,0.5\n" % at for at in range(3000))
    path.write_bytes(b"\xef\xbb\xbfstep,loss\n" + rows + b"\xff\xfe,\x00\n" + rows)
    assert_alike(path, 1 << 12)
