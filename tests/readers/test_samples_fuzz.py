"""Whatever stands in a file of samples, reading it ends in samples, counted faults or an error with a cure."""

from __future__ import annotations

import json
import random
from contextlib import suppress

import pytest

from tests.samples.files import sums
from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.samples import Sample
from weaklink.collect.readers.samples import open_samples
from weaklink.collect.readers.samples.names import FIELDS
from weaklink.collect.readers.samples.numbers import FaultyRow
from weaklink.collect.readers.samples.rows import RowTranslator
from weaklink.collect.samples.gathering import gather

ODD = (
    None, True, 0, -1, 10**400, 1e308, float("nan"), float("inf"), "", "x", "1.5", "\ud800", "\0", [], [[]], [None], {},
    {"a": None}, [1, "a"], ["text"], [{}], [{"role": "assistant"}], [{"role": None, "content": 5}],
    [{"content": [None]}],
    [{"role": "assistant", "tool_calls": "no"}], [{"role": "assistant", "tool_calls": [5]}],
    [{"role": "assistant", "tool_calls": [{"function": None}]}], [{"role": "tool", "content": {"a": 1}}],
    [{"role": "assistant", "content": [{"type": "tool_use"}]}], [{"tool": {"name": None}}],
    [{"tool": 5, "args": float("nan")}],
    [{"from": "gpt", "value": "hi"}], {"total": "x"}, {"total": 3, "part": [1]}, '{"a": 1', "[1, 2", [[1.0], [2.0]],
)  # fmt: skip


@pytest.mark.parametrize("seed", range(30))
def test_any_value_in_any_field(seed):
    draw = random.Random(seed)
    translator = RowTranslator()
    samples, faulty = [], 0
    for _ in range(300):
        names = draw.sample([*FIELDS, "reward_odd", "odd_reward", "odd"], draw.randint(1, 8))
        row = {name: draw.choice(ODD) for name in names}
        try:
            samples.append(translator.sample(row))
        except FaultyRow:
            faulty += 1
    assert faulty + len(samples) == 300
    assert samples
    assert all(isinstance(sample, Sample) for sample in samples)
    assert len(gather(samples, "odd")) == len(samples)


@pytest.mark.parametrize("seed", range(30))
def test_damaged_files(tmp_path, seed):
    draw = random.Random(seed)
    rows = sums(steps=2, seed=seed)
    indent = draw.choice([None, None, 1])
    text = json.dumps(rows, indent=indent) if draw.random() < 0.5 else "".join(json.dumps(row) + "\n" for row in rows)
    content = bytearray(text.encode(draw.choice(["utf-8", "utf-8", "utf-16"])))
    for _ in range(draw.randint(0, 6)):
        place = draw.randrange(len(content))
        content[place : place + draw.randint(0, 9)] = bytes(draw.randrange(256) for _ in range(draw.randint(0, 4)))
    file = tmp_path / "damaged.json"
    file.write_bytes(content[: draw.randint(0, len(content))] if draw.random() < 0.5 else content)
    read = open_samples(file)
    samples = []
    with suppress(WeaklinkError):
        samples.extend(read)
    assert len(samples) == read.count


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"null", b"[]", b"{}", b"[[[[", b"\xff\xfe", b"\x1f\x8b", b"PAR1", b"\0" * 9]
)
def test_files_of_nothing(tmp_path, content):
    file = tmp_path / "nothing.jsonl"
    file.write_bytes(content)
    with pytest.raises(WeaklinkError, match=r"nothing\.jsonl"):
        list(open_samples(file))
