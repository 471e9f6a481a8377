"""A fixed part of `make fuzz`, and every input that failed once."""

from __future__ import annotations

import pytest

from tests.fuzz.checking import REGRESSIONS, read_regression, try_input
from tests.fuzz.targets import TARGETS, VIEWS, FuzzTarget
from tests.fuzz.working import fuzz, make_input
from tests.looping import loop_over
from tests.patience import PATIENCE, no_hang
from weaklink.base.errors import ReadError


@loop_over(name=TARGETS)
def test_whole_files_are_read(name, tmp_path):
    target = TARGETS[name]
    for content in target.known():
        target.read(target.lay_out(tmp_path / name, content), shown=False)


@loop_over(file=sorted(REGRESSIONS.iterdir()))
def test_what_failed_once(file, tmp_path):
    target, content = read_regression(file)
    with no_hang():
        assert try_input(target, content, tmp_path / file.name, shown=True) == ""


def test_a_fixed_part(tmp_path):
    result = fuzz(
        seed=1, first=0, inputs=15 * len(TARGETS), seconds=PATIENCE, names=tuple(TARGETS), workers=2, kept=tmp_path
    )
    assert result.tried > 2 * len(TARGETS)
    assert result.failures == {}


def test_inputs_are_the_same_at_any_time(monkeypatch):
    names = tuple(TARGETS)
    now = [make_input(3, number, names) for number in range(199)]
    monkeypatch.setattr("time.time", lambda: 1e9)
    monkeypatch.setattr("time.localtime", lambda *given: (2001, 1, 1, 1, 1, 1, 0, 1, 0))
    assert [make_input(3, number, names) for number in range(199)] == now


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        ("while True: pass", "0.5 s of processor time"),
        ("x = bytearray(3 << 30)", "MemoryError"),
        ("import os; os._exit(9)", "the worker died of it"),
        ("[][1]", "IndexError"),
        ("raise ReadError('No.')", "a refusal that is not clear"),
        ("raise ReadError('x' * 30 + '.') from KeyError(1)", "passed off as damage"),
    ],
)
def test_every_kind_of_failure_is_seen_and_kept(monkeypatch, tmp_path, trouble, told):
    def read(path, shown):
        exec(trouble, {"ReadError": ReadError})

    monkeypatch.setitem(TARGETS, "sick", FuzzTarget("sick", "x.txt", lambda: (b"abc",), TARGETS["csv"].mutators, read))
    monkeypatch.setattr("tests.fuzz.working.SECONDS", 0.5)
    result = fuzz(seed=0, first=0, inputs=1, seconds=PATIENCE, names=("sick",), workers=1, kept=tmp_path)
    assert any(told in kind for kind in result.failures), result.failures
    assert list(tmp_path.glob("sick.*"))


def test_every_view_is_among_what_is_shown():
    assert set(VIEWS) == {"terminal", "json", "markdown", "html"}
