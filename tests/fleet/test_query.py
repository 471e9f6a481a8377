"""Questions in SQL about the runs that were kept."""

from __future__ import annotations

import json

import pytest

from tests.cli.logs import call
from tests.fleet.sweeps import make_sweep, options
from weaklink.adapters.tables import query as asking
from weaklink.base.errors import UsageError
from weaklink.verbs.diagnose import diagnose
from weaklink.verbs.fleet import table
from weaklink.verbs.fleet.query import query_fleet

pytest.importorskip("duckdb")
COUNTED = 'SELECT verdict, count(*) AS runs, max("config.learning_rate") AS rate FROM runs GROUP BY verdict ORDER BY 1'


@pytest.fixture
def kept(tmp_path):
    diagnose(options(make_sweep(tmp_path / "runs", 8), out=str(tmp_path / "fleet")))
    return tmp_path / "fleet"


def test_the_answer_is_a_table_or_json(kept):
    said = call("fleet", "query", COUNTED, "--in", kept)
    assert (said.returncode, said.stderr) == (0, "")
    assert [line.split() for line in said.stdout.splitlines() if line][1:] == [
        ["verdict", "runs", "rate"],
        ["broken", "2", "0.01"],
        ["healthy", "6", "0.001"],
    ]
    line = json.loads(call("fleet", "query", COUNTED, "-f", "json", cwd=kept.parent).stdout)
    assert (line["columns"], line["rows"]) == (
        ["verdict", "runs", "rate"],
        [["broken", 2, 0.01], ["healthy", 6, 0.001]],
    )


def test_lines_of_json_are_asked_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr(table, "has_parquet", lambda: False)
    diagnose(options(make_sweep(tmp_path / "runs", 8), out=str(tmp_path / "fleet")))
    assert query_fleet(str(tmp_path / "fleet"), COUNTED).rows == (("broken", 2, 0.01), ("healthy", 6, 0.001))


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("SELECT nothing FROM runs", "nothing"),
        ("SELEC", "The table is called runs"),
        ("COPY runs TO 'x.csv'", "disabled"),
        ("SELECT * FROM read_csv('/etc/passwd')", "disabled"),
    ],
)
def test_what_cannot_be_answered_is_wrong_use(kept, question, why):
    with pytest.raises(UsageError, match=why):
        query_fleet(str(kept), question)


def test_no_fleet_and_no_duckdb(tmp_path, kept, monkeypatch):
    with pytest.raises(UsageError, match="--out"):
        query_fleet(str(tmp_path), COUNTED)
    monkeypatch.setattr(asking, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="pip install"):
        query_fleet(str(kept), COUNTED)
