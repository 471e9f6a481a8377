"""Files that ask for more than any log does: read as far as may be, or refused with what was asked and what to do."""

from __future__ import annotations

import gzip
import json
import resource
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from tests.patience import no_hang
from weaklink.base import limits
from weaklink.base.errors import CorruptLog, ReadError, TooLarge, WeaklinkError
from weaklink.base.evidence.config import Config
from weaklink.collect import readers
from weaklink.collect.readers._rows import LogRows
from weaklink.collect.readers.samples import open_samples
from weaklink.show.text import escape_prose

MEMORY = 1 << 30


def diagnose_bounded(*paths: object, command: str = "diagnose") -> subprocess.CompletedProcess:
    """The command itself, in a process that gets a gigabyte beyond what an idle one takes."""

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3 * MEMORY, 3 * MEMORY))

    words = [sys.executable, "-m", "weaklink", command, *map(str, paths)]
    return subprocess.run(words, capture_output=True, text=True, check=False, preexec_fn=bound, timeout=300)


@pytest.mark.slow
def test_an_archive_of_zeros_does_not_take_the_memory(tmp_path):
    path = tmp_path / "evaluations.npz"
    np.savez_compressed(path, timesteps=np.arange(2), results=np.zeros((2, 200_000_000), np.int8))
    done = diagnose_bounded(path)
    assert done.returncode == 2
    told = "The array `results` may have 268,435,456 bytes at most: that of"
    assert told in " ".join(done.stderr.split())
    assert "3,200,000,000" in done.stderr


def test_an_archive_with_too_many_names(tmp_path, monkeypatch):
    monkeypatch.setattr("weaklink.collect.readers._zip.LARGEST_DIRECTORY", 100_000)
    path = tmp_path / "evaluations.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(3000):
            archive.writestr(f"{number}.npy", b"")
    with pytest.raises(
        TooLarge, match=r"table of contents .* 100,000 bytes at most: that of .* has 1\d\d,\d+\. Unpack"
    ):
        readers.read(path)
    named = path.rename(tmp_path / "key.zip")
    with pytest.raises(CorruptLog, match="named like Comet offline"):
        readers.read(named)


@pytest.mark.slow
def test_packed_text_that_grows_without_end(tmp_path):
    path = tmp_path / "samples.jsonl.gz"
    with gzip.open(path, "wb", 1) as file:
        file.write(b'{"prompt": "a", "completion": "b", "reward": 1}\n{"prompt": "')
        for _ in range(300):
            file.write(b"x" * (1 << 20))
    done = diagnose_bounded(path, command="audit")
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr
    assert "may grow 200-fold" in " ".join(done.stdout.split())


def test_a_line_that_is_too_long_is_one_faulty_row(tmp_path, monkeypatch):
    monkeypatch.setattr("weaklink.collect.readers.samples.json_rows.LONGEST_VALUE", 100)
    path = tmp_path / "samples.jsonl"
    path.write_text('{"completion": "a"}\n' + json.dumps({"completion": "b" * 500}) + '\n{"completion": "c"}\n')
    rows = open_samples(path)
    assert [sample.completion for sample in rows] == ["a", "c"]
    assert rows.faults == ["row 2: the line must have 100 bytes at most"]


def test_rows_that_are_nested_too_deep_are_faulty(tmp_path):
    path = tmp_path / "samples.jsonl"
    deep = '{"completion": "b", "initial_state": ' + "[" * 200 + "]" * 200 + "}"
    path.write_text('{"completion": "a"}\n' + deep + "\n")
    rows = open_samples(path)
    assert len(list(rows)) == 1
    assert rows.faults == ["row 2: the line must be JSON of 60 brackets in each other at most"]


def test_backticks_by_the_thousand():
    with no_hang(5.0):
        assert escape_prose("`" * 200_000).count("`") == 200_000
    assert escape_prose("a `code` and ``two `` b*") == "a `code` and `two ` b\\*"


def test_more_keys_than_any_log_has(tmp_path, monkeypatch):
    monkeypatch.setattr("weaklink.collect.readers.raw.MOST_KEYS", 3)
    lists = {f"key{number}": list(range(9)) for number in range(5)}
    (tmp_path / "columns.json").write_text(json.dumps(lists))
    run = readers.read(tmp_path / "columns.json")
    assert len(run.unknown) + len(run.series) == 3
    assert "more than 3 keys: the later ones were left out" in run.notes


def test_a_table_wider_than_any_is_held_in_little_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("weaklink.collect.readers._rows.MOST_KEYS", 50)
    monkeypatch.setattr("weaklink.collect.readers._rows.CELLS", 200)
    waiting = []
    file = LogRows._file

    def watched(self):
        waiting.append(sum(len(numbers) for numbers, _, _ in self._waiting))
        file(self)

    monkeypatch.setattr(LogRows, "_file", watched)
    head = ",".join(["step", *(f"k{number}" for number in range(100))])
    rows = "".join(",".join([str(step), *["1"] * 100]) + "\n" for step in range(40))
    (tmp_path / "table.csv").write_text(f"{head}\n{rows}")
    run = readers.read(tmp_path / "table.csv")
    assert max(waiting) <= 200
    assert len(run.unknown) + len(run.series) == 49
    assert all(series.last_step == 39.0 for series in run.unknown.values())
    assert any(note.startswith("more than 50 keys") for note in run.notes)


def test_steps_that_no_counter_reaches_are_said(tmp_path):
    path = tmp_path / "progress.csv"
    rows = "".join(f"{10 * at if at % 3 else 1e308:g},{at}\n" for at in range(12))
    path.write_text(f"time/total_timesteps,rollout/ep_rew_mean\n{rows}")
    run = readers.read(path)
    assert run["reward.episode_return"].last_step == 110.0
    assert any("4 of 12 rows have a step beyond 9.2e+18" in note for note in run.notes)


def test_where_no_step_can_be_reached_rows_are_counted_and_it_is_said(tmp_path):
    path = tmp_path / "progress.csv"
    path.write_text("time/total_timesteps,rollout/ep_rew_mean\n" + "".join(f"1e308,{at}\n" for at in range(12)))
    run = readers.read(path)
    assert run["reward.episode_return"].steps.tolist() == list(range(12))
    told = "time/total_timesteps is beyond 9.2e+18, which no counter reaches: rows are counted instead"
    assert told in run.notes


def test_points_without_a_place_are_dropped_and_said_and_never_called_infinite(tmp_path):
    path = tmp_path / "columns.json"
    steps = [1e308, 2e308, *range(8)]
    path.write_text(json.dumps({"loss": list(range(10)), "step": sorted(steps)}))
    run = readers.read(path)
    assert all(series.nonfinite is None for series in (*run.series.values(), *run.unknown.values()))
    assert any("points left out: their step is no number, or beyond" in note for note in run.notes)


@pytest.mark.parametrize("name", ["config.json", "config.yaml"])
def test_integers_of_thousands_of_digits_in_a_configuration(tmp_path, name):
    text = '{"lr": %s, "gamma": 0.9}' if name.endswith("json") else "lr: %s\ngamma: 0.9\n"
    (tmp_path / name).write_text(text % ("1" * 5000))
    assert readers.read_config(tmp_path / name).number("gamma") == 0.9


def test_a_configuration_that_holds_itself():
    config: dict = {"lr": 0.1, "inner": {"gamma": 0.9}}
    config["self"] = config["inner"]["outer"] = config
    assert dict(Config.of(config).raw) == {"lr": 0.1, "inner.gamma": 0.9}


def test_a_configuration_of_any_size_is_bounded(monkeypatch):
    deep: list = []
    for _ in range(100):
        deep = [deep]
    config = Config.of({"deep": deep, "huge": 16**5000, "long": "x" * 200_000, "fine": [1, [2]], "no": -(10**30)})
    assert config.raw["deep"] == "[...]"
    assert config.raw["huge"] == float("inf")
    assert config.raw["no"] == -1e30
    assert len(config.raw["long"]) == limits.LONGEST_SETTING
    assert config.raw["fine"] == [1, [2]]
    assert len(Config.of({str(number): 1 for number in range(20_000)}).raw) == limits.MOST_SETTINGS


def test_a_parquet_file_whose_schema_is_broken(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "samples.parquet"
    parquet.write_table(pyarrow.table({"completion": ["a", "b"], "schön": [1.0, 2.0]}), path)
    path.write_bytes(path.read_bytes().replace("schön".encode(), b"sch\xff\xfen"))
    with pytest.raises(WeaklinkError, match=r"samples\.parquet"):
        list(open_samples(path))


def test_a_database_that_gives_no_row_is_given_up(tmp_path, monkeypatch):
    import sqlite3

    from weaklink.collect.readers import _sqlite

    with sqlite3.connect(tmp_path / "x.db") as made:
        made.execute("CREATE TABLE t (a)")
    monkeypatch.setattr(_sqlite, "STALLED", 0.2)
    monkeypatch.setattr(_sqlite, "INSTRUCTIONS", 1000)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with (
        no_hang(),
        pytest.raises(ReadError, match="interrupted"),
        _sqlite.open_database(tmp_path / "x.db", []) as opened,
    ):
        opened.execute(endless).fetchall()


def test_messages_never_quote_a_whole_file():
    message = str(ReadError("A row must be an object, not " + "x" * 100_000 + ". Mend it."))
    assert len(message) < 1300
    assert message.endswith("Mend it.")
