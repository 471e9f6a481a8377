"""Processes of our own: what they say arrives, limits are held, and all that they started ends with them."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.outside.echo import Answered, Asked
from tests.outside.test_ending import is_running, wait_until
from tests.patience import PATIENCE
from weaklink.base.outside import child
from weaklink.base.outside.child import FAREWELL, Supervisor, make_module_command
from weaklink.base.outside.messages import unpack_line
from weaklink.base.outside.output import last_words
from weaklink.base.outside.worker_pool import NotLoaded, WorkerPool

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def supervisor():
    with Supervisor[Answered]() as made:
        yield made


def started(supervisor, **options):
    child = supervisor.start(make_module_command("tests.outside.echo"), Answered, seconds=PATIENCE, **options)
    assert supervisor.wait() == (child, Answered("ready", options.get("folder") or str(ROOT)))
    return child


def asked(supervisor, child, what, value=None):
    child.say(Asked(what, value))
    event = supervisor.wait()
    assert event is not None
    assert event[0] is child
    return event[1].value if event[1] is not None else None


@pytest.mark.parametrize("value", ["text", 2**70, math.inf, b"\x00\n\xff", [1.5, None, {"a": "é\n"}], "x" * 3_000_000])
def test_messages_arrive_as_they_were_sent(supervisor, value):
    assert asked(supervisor, started(supervisor), "echo", value) == value


def test_not_a_number_stays_one(supervisor):
    assert math.isnan(asked(supervisor, started(supervisor), "echo", math.nan))


def test_an_end_is_told_after_all_that_was_said_however_long_that_takes_to_read(supervisor, monkeypatch):
    child = started(supervisor)

    def unpack_slowly(line, kind):
        time.sleep(1.5 * FAREWELL)
        return unpack_line(line, kind)

    monkeypatch.setattr("weaklink.base.outside.child.unpack_line", unpack_slowly)
    child.say(Asked("echo", 1))
    child.say(Asked("dies", 0))
    assert supervisor.wait() == (child, Answered("echo", 1))
    assert supervisor.wait() == (child, None)
    assert not supervisor.children


def test_a_worker_that_answers_and_dies_gets_no_other_job(monkeypatch):
    pool = WorkerPool(
        lambda supervisor: supervisor.start(make_module_command("tests.outside.echo"), Answered, seconds=PATIENCE),
        ready=lambda reply: reply.what == "ready",
        done=lambda reply: True,
        seconds=lambda job: PATIENCE,
    )
    try:
        pool.load()
        (worker,) = pool.supervisor.children

        def unpack_slowly(line, kind):
            wait_until(lambda: worker.closed)  # its end was noticed before what it had said
            return unpack_line(line, kind)

        monkeypatch.setattr("weaklink.base.outside.child.unpack_line", unpack_slowly)
        pool.begin(Asked("echo", 1))
        worker.say(Asked("dies", 0))
        pool.begin(Asked("echo", 2))
        ends = [pool.finished(), pool.finished()]
        assert [end.reply and end.reply.value for end in ends] == [1, 2]
    finally:
        pool.close()


def test_what_cannot_be_sent_is_refused_and_harms_nobody(supervisor):
    child = started(supervisor)
    with pytest.raises(ValueError, match="surrogates"):
        child.say(Asked("echo", "\ud800"))
    assert asked(supervisor, child, "echo", 1) == 1


@pytest.mark.parametrize(("code", "told"), [(0, "exit code 0"), (3, "exit code 3")])
def test_how_it_ended_is_said_with_its_last_line(supervisor, code, told):
    child = started(supervisor)
    assert asked(supervisor, child, "exit", code) is None
    assert child.last_words() == f"{told}: the last words"
    assert (child.late, child.heavy, child.mute) == (False, False, False)
    assert supervisor.children == []


def test_a_signal_without_a_name_has_a_number():
    assert last_words(-9, "") == "SIGKILL"
    assert last_words(-63, "") == "signal 63"


def test_one_that_is_late_is_ended(supervisor):
    child = started(supervisor)
    child.allow(0.5)
    began = time.monotonic()
    assert asked(supervisor, child, "sleep", 600) is None
    assert child.late
    assert 0.4 < child.taken < time.monotonic() - began + 0.1 < PATIENCE
    assert not is_running(child.pid)


def test_one_that_takes_too_much_memory_is_ended(supervisor):
    child = started(supervisor, memory=300_000_000)
    assert asked(supervisor, child, "memory", 400_000_000) is None
    assert (child.heavy, child.late) == (True, False)


def test_one_that_closes_its_connection_is_not_waited_for(supervisor):
    child = started(supervisor)
    began = time.monotonic()
    assert asked(supervisor, child, "mute") is None
    assert time.monotonic() - began < PATIENCE / 2
    assert child.last_words() in ("it closed its connection to weaklink", f"exit code 1: {last_line(child)}")


def last_line(child):
    return child.printed.strip().splitlines()[-1]


def test_every_job_finds_the_streams_and_the_folder_as_the_first_did(supervisor):
    child = started(supervisor)
    for _ in range(2):
        asked(supervisor, child, "unsettle")
        assert asked(supervisor, child, "where") == [str(ROOT), "", None]
    assert wait_until(lambda: child.printed.count("seen") == 2)


def test_a_fork_that_runs_on_takes_no_part(supervisor):
    child = started(supervisor)
    asked(supervisor, child, "fork")
    assert [asked(supervisor, child, "echo", number) for number in range(3)] == [0, 1, 2]


def test_one_that_dies_while_its_fork_holds_the_connection_is_noticed(supervisor):
    child = started(supervisor)
    began = time.monotonic()
    assert asked(supervisor, child, "leave") is None
    assert child.code == 4
    assert time.monotonic() - began < PATIENCE / 2


@pytest.mark.parametrize("new_session", [False, True])
def test_what_it_started_is_ended_with_it_and_nobody_else(supervisor, new_session):
    one, other = started(supervisor), started(supervisor)
    stray, others = asked(supervisor, one, "start", new_session), asked(supervisor, other, "start", new_session)
    supervisor.end(one)
    assert wait_until(lambda: not is_running(stray))  # a signal takes a moment to arrive
    assert is_running(others)
    assert asked(supervisor, other, "echo", 1) == 1
    supervisor.close()
    assert wait_until(lambda: not is_running(others))


def test_what_it_prints_is_kept_in_bounds_and_in_a_file(supervisor, tmp_path):
    child = started(supervisor, output=tmp_path / "printed.txt")
    asked(supervisor, child, "print", 9_000_000)
    assert wait_until(lambda: (tmp_path / "printed.txt").stat().st_size > 0)
    supervisor.close()
    assert len(child.printed) < 6_000_000
    assert child.printed.endswith("the end\n")
    assert "bytes left out" in child.printed
    assert (tmp_path / "printed.txt").read_text() == child.printed


def test_folder_environment_and_threads_are_set(supervisor, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", f"{ROOT}:{ROOT / 'src'}")
    monkeypatch.setenv("MKL_NUM_THREADS", "7")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    child = started(supervisor, folder=str(tmp_path), environment={"COLOUR": "blue"}, threads=2)
    told = [asked(supervisor, child, "environment", name) for name in ("COLOUR", "OMP_NUM_THREADS", "MKL_NUM_THREADS")]
    assert told == ["blue", "2", "7"]


def test_a_command_may_close_its_output_and_go_on():
    with Supervisor[None]() as supervisor:
        code = "import os, time; os.write(1, b'hello'); os.close(1); os.close(2); time.sleep(2); os._exit(5)"
        child = supervisor.start([sys.executable, "-c", code], seconds=PATIENCE)
        assert supervisor.wait() == (child, None)
        assert (child.code, child.printed) == (5, "hello")
        assert supervisor.wait(0.0) is None


def pooled(count: int) -> WorkerPool[Asked, Answered]:
    pool: WorkerPool[Asked, Answered] = WorkerPool(
        lambda supervisor: supervisor.start(make_module_command("tests.outside.echo"), Answered, seconds=PATIENCE),
        ready=lambda reply: reply.what == "ready",
        done=lambda reply: reply.what != "ready",
        seconds=lambda job: 2.0 if job.what == "sleep" else PATIENCE,
    )
    pool.load()
    pool.grow(count)
    return pool


def test_jobs_go_to_idle_workers_and_lost_ones_are_replaced():
    pool = pooled(2)
    jobs = [Asked("exit", 3), Asked("echo", 1), Asked("sleep", 600), *(Asked("echo", number) for number in range(2, 8))]
    for job in jobs:
        pool.begin(job)
    ends = []
    while pool.open:
        ends.append(pool.finished())
    pool.close()
    lost = {end.job.what: end.worker.late for end in ends if end.reply is None}
    assert lost == {"exit": False, "sleep": True}
    assert sorted(end.reply.value for end in ends if end.reply is not None) == [1, 2, 3, 4, 5, 6, 7]
    assert not any(is_running(end.worker.pid) for end in ends)


def test_a_worker_that_cannot_load_is_told_of():
    pool: WorkerPool[Asked, Answered] = WorkerPool(
        lambda supervisor: supervisor.start([sys.executable, "-c", "exit('no')"], Answered, seconds=PATIENCE),
        ready=lambda reply: True,
        done=lambda reply: True,
        seconds=lambda job: PATIENCE,
    )
    with pytest.raises(NotLoaded, match="exit code 1: no"):
        pool.load()
    assert pool.size == 0


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="processes cannot be put on one core here")
@pytest.mark.usefixtures("patient")
def test_a_process_that_others_keep_from_the_processor_is_not_late():
    core = min(os.sched_getaffinity(0))
    pinned = f"import os, time; os.sched_setaffinity(0, [{core}])"
    rival = [sys.executable, "-c", f"{pinned}\nprint('here', flush=True)\nwhile True: pass"]
    # the scheduler shares a core out among sessions
    busy = [subprocess.Popen(rival, stdout=subprocess.PIPE, start_new_session=True) for _ in range(5)]
    try:
        assert [each.stdout.readline() for each in busy] == [b"here\n"] * 5
        work = f"{pinned}\nwhile time.process_time() < 0.4: pass\nprint('done')"
        with Supervisor() as supervisor:
            supervisor.start([sys.executable, "-c", work], seconds=0.8)
            worker, _ = supervisor.wait()
        assert (worker.late, worker.code) == (False, 0)
        assert "done" in worker.printed
    finally:
        for each in busy:
            each.kill()
            each.communicate()


@pytest.fixture
def patient(monkeypatch):
    """However long this machine stands still."""
    monkeypatch.setattr(child, "MOST_PATIENCE", 1000.0)


def let_go_on(pid):
    with contextlib.suppress(ProcessLookupError):  # somebody else did so before
        os.kill(pid, signal.SIGCONT)


@pytest.mark.usefixtures("patient")
def test_what_was_not_looked_at_is_not_late(supervisor):
    """What a machine that stands still does to us: the time is up, and what was said has not been read yet."""
    worker = started(supervisor)
    worker.allow(1.5)
    worker.say(Asked("sleep", 0.1))
    time.sleep(2.0)
    assert not worker.is_over()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="how a process stands is not known here")
@pytest.mark.usefixtures("patient")
def test_one_that_was_stopped_is_waited_for_and_one_that_sleeps_is_not(supervisor):
    worker = started(supervisor)
    worker.allow(0.5)
    os.kill(worker.pid, signal.SIGSTOP)
    worker.say(Asked("echo", 1))
    goes_on = threading.Timer(1.5, let_go_on, (worker.pid,))
    goes_on.start()
    assert supervisor.wait() == (worker, Answered("echo", 1))
    goes_on.join()
    worker.allow(0.5)
    assert asked(supervisor, worker, "sleep", 600) is None
    assert worker.late


@pytest.mark.usefixtures("patient")
def test_one_that_is_let_go_on_has_the_time_to_say_what_it_was_about_to_say(supervisor, monkeypatch):
    worker = started(supervisor)
    worker.allow(0.01)
    time.sleep(0.02)
    for held_up in (True, False):  # it answers in the moment between two looks
        monkeypatch.setattr(child, "read_activity", lambda pid, held_up=held_up: (held_up, 0.0))
        assert not worker.is_over()
    worker.close()
    worker.say(Asked("echo", 1))  # whoever has ended hears nothing any more


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="how a process stands is not known here")
@pytest.mark.usefixtures("patient")
def test_the_last_words_of_one_that_is_held_up_are_waited_for(supervisor):
    worker = started(supervisor, interrupted=True)
    os.kill(worker.pid, signal.SIGSTOP)
    goes_on = threading.Timer(1.5 * FAREWELL, let_go_on, (worker.pid,))
    goes_on.start()
    worker.late = True
    worker.close()
    goes_on.join()
    assert "KeyboardInterrupt" in worker.printed


def test_who_is_to_be_interrupted_hears_it_even_where_we_were_started_in_the_background():
    heard = {}
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell has it for what ends with an ampersand
    try:
        asks = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
        for interrupted in (True, False):
            with Supervisor[None]() as alone:
                one = alone.start([sys.executable, "-c", asks], interrupted=interrupted)
                while alone.children:
                    alone.wait()
                heard[interrupted] = one.printed.strip()
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == {True: "True", False: "False"}
