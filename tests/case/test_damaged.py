"""The folder of a case whose files are damaged: refused with what to do, never with a traceback."""

from __future__ import annotations

import msgspec
import pytest
from typer.testing import CliRunner

from tests.worlds import world
from weaklink.base.errors import CorruptLog, TooLarge, UsageError
from weaklink.cli import make_app
from weaklink.verbs.debug.case import PREFLIGHT, PROBE
from weaklink.verbs.debug.debugging import is_case, read_case
from weaklink.verbs.debug.folder import INDEX, OUTCOME, SURVEY, CaseFolder
from weaklink.verbs.debug.target import CaseTarget


@pytest.fixture
def case(tmp_path):
    folder = CaseFolder.opened(tmp_path / "case", CaseTarget(word="main.py", name="main"), fresh=False)
    folder.index.stages = (PREFLIGHT, PROBE)
    folder.keep_survey(world())
    folder.save()
    return folder.path


def test_an_index_that_is_nested_without_end(case):
    (case / INDEX).write_text('{"target": ' + "[" * 100_000)
    assert not is_case(case)
    with pytest.raises(UsageError, match="is no case"):
        read_case(case)
    done = CliRunner().invoke(make_app(), ["report", str(case), "--format", "markdown"])
    assert done.exit_code == 2
    assert "Traceback" not in done.output + done.stderr


@pytest.mark.parametrize("name", [SURVEY, OUTCOME])
@pytest.mark.parametrize(
    "content",
    [b"", b"\xc1", b"\x91" * 5000, msgspec.msgpack.encode([1]), msgspec.msgpack.encode({"plays": 5, "rungs": "x"})],
)
def test_evidence_that_is_not_what_was_written(case, name, content):
    (case / name).write_bytes(content)
    with pytest.raises(CorruptLog, match=rf"{name} must be the evidence of a case.*--fresh\."):
        read_case(case)


def test_evidence_that_is_too_large(case, monkeypatch):
    monkeypatch.setattr("weaklink.verbs.debug.folder.MOST_UNPACKED", 100)
    with pytest.raises(TooLarge, match="A file of a case may have 100 bytes at most"):
        read_case(case)
