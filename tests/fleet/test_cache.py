"""What is unchanged is not judged again; what changed in any file that is read is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.logs import healthy_log, sick_log
from tests.fleet.sweeps import make_sweep, options
from weaklink.base.finding import Level
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.diagnose import DiagnoseOptions, diagnose
from weaklink.verbs.fleet import labour as labouring
from weaklink.verbs.fleet import sources
from weaklink.verbs.fleet.crew import FleetCrew
from weaklink.verbs.fleet.folder import CACHE


@pytest.fixture
def judged(monkeypatch) -> list[str]:
    """The names of the runs that were read and judged."""
    names: list[str] = []
    do_job = labouring.do_job

    def count(job, start):
        names.append(Path(job.name).name)
        return do_job(job, start)

    monkeypatch.setattr(labouring, "do_job", count)
    return names


def again(root: Path, out: Path, judged: list[str], **parts) -> tuple[tuple, list[str]]:
    judged.clear()
    crew = FleetCrew(workers=1, out=str(out))
    done = diagnose(DiagnoseOptions(paths=(str(root),), crew=crew, **parts))
    return done.results, sorted(judged)


def test_an_unchanged_run_is_not_read_again(tmp_path, judged):
    root, out = make_sweep(tmp_path / "runs", 4), tmp_path / "out"
    first, names = again(root, out, judged)
    assert len(names) == 4
    assert again(root, out, judged) == (first, [])


def test_a_run_that_changed_is_and_so_is_one_whose_configuration_did(tmp_path, judged):
    root, out = make_sweep(tmp_path / "runs", 4), tmp_path / "out"
    again(root, out, judged)
    sick_log(root / "run_000")
    (root / "run_001" / "config.json").write_text(json.dumps({"algo": "ppo", "learning_rate": 0.5}))
    (root / "run_002" / "args.yml").write_text("gamma: 1.5\n")
    results, names = again(root, out, judged)
    assert names == ["run_000", "run_001", "run_002"]
    assert results == diagnose(options(root, workers=1)).results
    (root / "run_002" / "args.yml").unlink()
    assert again(root, out, judged)[1] == ["run_002"]


def test_a_file_that_was_only_touched_is_the_same(tmp_path, judged):
    root, out = make_sweep(tmp_path / "runs", 3), tmp_path / "out"
    first, _ = again(root, out, judged)
    for file in root.rglob("*.csv"):
        os.utime(file, (1, 1))
    assert again(root, out, judged) == (first, [])


def test_a_file_that_was_touched_is_looked_into_once(tmp_path, judged, monkeypatch):
    root, out = make_sweep(tmp_path / "runs", 3), tmp_path / "out"
    again(root, out, judged)
    for file in root.rglob("*.*"):
        os.utime(file, (1, 1))
    again(root, out, judged)
    looked = []
    monkeypatch.setattr(sources, "digest_file", lambda path, size: looked.append(path))
    assert again(root, out, judged)[1] == []
    assert looked == []


def test_a_change_that_leaves_size_and_time_as_they_were_is_seen(tmp_path, judged):
    """Within the time that file systems count by, a file can be written twice."""
    root, out = make_sweep(tmp_path / "runs", 3), tmp_path / "out"
    again(root, out, judged)
    file = root / "run_001" / "progress.csv"
    before = os.stat(file)
    content = file.read_bytes()
    file.write_bytes(content[:-2] + (b"7" if content[-2:-1] != b"7" else b"8") + b"\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert os.stat(file).st_size == before.st_size
    assert again(root, out, judged)[1] == ["run_001"]


def test_other_rules_are_other_results(tmp_path, judged):
    root, out = make_sweep(tmp_path / "runs", 4), tmp_path / "out"
    first, _ = again(root, out, judged)
    quiet, names = again(root, out, judged, settings=RuleSettings.of(ignore=("POL", "REW", "EXP", "VAL")))
    assert len(names) == 4
    assert quiet != first
    assert again(root, out, judged) == (first, [])


def test_another_weaklink_judges_anew(tmp_path, judged, monkeypatch):
    root, out = make_sweep(tmp_path / "runs", 3), tmp_path / "out"
    again(root, out, judged)
    monkeypatch.setattr("weaklink.verbs.fleet.cache.__version__", "99")
    assert len(again(root, out, judged)[1]) == 3


def test_a_damaged_cache_is_begun_anew(tmp_path, judged):
    root, out = make_sweep(tmp_path / "runs", 3), tmp_path / "out"
    first, _ = again(root, out, judged)
    (out / CACHE).write_bytes(b"no database" * 100)
    results, names = again(root, out, judged)
    assert (results, len(names)) == (first, 3)
    assert again(root, out, judged) == (first, [])


def test_what_could_not_be_read_is_tried_again(tmp_path, judged):
    root, out = make_sweep(tmp_path / "runs", 3), tmp_path / "out"
    (root / "run_000" / "progress.csv").write_text("time/total_timesteps,rollout/ep_rew_mean\n")
    results, _ = again(root, out, judged)
    assert [one.target for one in results if not hasattr(one, "verdict")] == [str(root / "run_000")]
    healthy_log(root / "run_000")
    results, names = again(root, out, judged)
    assert names == ["run_000"]
    assert all(one.worst is None or one.worst in Level for one in results)


def test_what_lies_in_the_folder_of_results_is_no_run(tmp_path, judged):
    root = make_sweep(tmp_path, 3)
    out = root / "fleet"
    first, _ = again(root, out, judged)
    (out / "runs.jsonl").write_text('{"step": 1, "loss": 2}\n' * 20)
    assert again(root, out, judged) == (first, [])
