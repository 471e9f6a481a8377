"""Many runs judged side by side: the same answers as one by one, whatever happens to whoever judges them."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from tests.cli.logs import call, call_here, healthy_log
from tests.fleet.sweeps import make_sweep, options
from weaklink.collect.readers import discover
from weaklink.collect.readers.handing import HandedRun
from weaklink.verbs.diagnose import diagnose
from weaklink.verbs.fleet import labour as labouring
from weaklink.verbs.fleet.labour import HereLabour, ProcessLabour
from weaklink.verbs.fleet.work import FleetJob, FleetReply, FleetStart
from weaklink.verbs.targets import Failure

DIES = """
import os, sys
from weaklink.verbs.fleet import work, worker
judge = worker.do_job
worker.do_job = lambda job, start: os._exit(7) if job.name.endswith("run_002") else judge(job, start)
worker.main()
"""


def list_jobs(root) -> list[FleetJob]:
    return [FleetJob(number, found.source, HandedRun.of(found)) for number, found in enumerate(discover(str(root)))]


def diagnoses(replies) -> dict[int, list]:
    """What was said of each run; how long it took differs."""
    return {reply.number: [getattr(one, "diagnosis", one) for one in reply.judged] for reply in replies}


def test_processes_answer_as_this_one_does(tmp_path):
    root = make_sweep(tmp_path / "runs", 18)
    alone, beside = (diagnose(options(root, workers=workers)) for workers in (1, 2))
    assert beside.results == alone.results
    assert [one.peer for one in beside.summaries] == [one.peer for one in alone.summaries]
    assert [one.settings for one in beside.summaries] == [one.settings for one in alone.summaries]
    assert [one.curve for one in beside.summaries] == [one.curve for one in alone.summaries]


def test_the_command_gives_one_answer_whoever_judges(tmp_path):
    root = make_sweep(tmp_path / "runs", 17)
    (root / "torn").mkdir()
    (root / "torn" / "progress.csv").write_text("")
    alone = call_here("diagnose", root, "-f", "json", "--workers", "1", cwd=tmp_path)
    beside = call("diagnose", root, "-f", "json", "--workers", "2", cwd=tmp_path)
    assert beside.stdout == alone.stdout
    assert (beside.returncode, beside.stderr) == (alone.returncode, alone.stderr)


def test_a_killed_process_loses_nothing(tmp_path):
    jobs = list_jobs(make_sweep(tmp_path, 12))
    start = FleetStart()
    labour, replies = ProcessLabour(start, 2), []
    try:
        for reply in labour.judge(jobs):
            replies.append(reply)
            if len(replies) in (1, 4):
                os.kill(labour._pool.supervisor.children[0].pid, signal.SIGKILL)
    finally:
        labour.close()
    assert len(replies) == len(jobs)
    assert diagnoses(replies) == diagnoses(HereLabour(start).judge(jobs))


def test_a_log_that_ends_every_process_is_a_failure_and_the_others_are_judged(tmp_path, monkeypatch):
    jobs = list_jobs(make_sweep(tmp_path, 6))
    monkeypatch.setattr(labouring, "make_module_command", lambda *_, **__: [sys.executable, "-u", "-c", DIES])
    labour = ProcessLabour(FleetStart(), 2)
    try:
        replies = {reply.number: reply for reply in labour.judge(jobs)}
    finally:
        labour.close()
    assert sorted(replies) == list(range(6))
    (lost,) = replies[2].judged
    assert isinstance(lost, Failure)
    assert lost.own_fault
    assert "2 times" in lost.message
    assert not any(isinstance(one, Failure) for number in (0, 1, 3, 4, 5) for one in replies[number].judged)


def test_without_processes_this_one_does_the_work(tmp_path, monkeypatch):
    jobs = list_jobs(make_sweep(tmp_path, 3))
    monkeypatch.setattr(
        labouring, "make_module_command", lambda *_, **__: [sys.executable, "-c", "raise SystemExit(1)"]
    )
    labour = ProcessLabour(FleetStart(), 2)
    try:
        assert sorted(reply.number for reply in labour.judge(jobs)) == [0, 1, 2]
    finally:
        labour.close()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_stop_keeps_what_is_done(tmp_path, workers):
    root, told = make_sweep(tmp_path / "runs", 17), []

    def tell(result):
        told.append(result)
        if len(told) == 5:
            raise KeyboardInterrupt

    done = diagnose(options(root, workers=workers, out=str(tmp_path / "out")), tell)
    assert done.stopped
    assert 5 <= len(done.results) < 17
    assert len(done.summaries) == len(done.results)
    import pyarrow.parquet as parquet

    assert parquet.read_table(done.table).num_rows == len(done.results)


def test_names_of_any_bytes_reach_the_other_process(tmp_path):
    folder = os.fsencode(tmp_path) + b"/a\xffb"
    os.mkdir(folder)
    healthy_log(tmp_path / "one")
    os.rename(tmp_path / "one" / "progress.csv", folder + b"/progress.csv")
    jobs = list_jobs(tmp_path)
    labour = ProcessLabour(FleetStart(), 1)
    try:
        (reply,) = labour.judge(jobs)
    finally:
        labour.close()
    assert isinstance(reply, FleetReply)
    assert diagnoses([reply]) == diagnoses(HereLabour(FleetStart()).judge(jobs))
