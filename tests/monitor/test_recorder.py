"""The recorder: everything arrives, nobody waits, and no disk, fork or exit brings a training down."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.counting import count_lines
from tests.patience import PATIENCE, no_hang
from weaklink.base.errors import UsageError
from weaklink.base.evidence import store
from weaklink.collect.monitor import recorder as module
from weaklink.collect.monitor.claim import LOCK
from weaklink.collect.monitor.recorder import Recorder
from weaklink.collect.readers import read

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


def steps_in(folder: Path) -> list[float]:
    return [row["step"] for row in store.read_rows(folder)]


def until(true) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.02)
    return False


def test_rows_and_lines_arrive(tmp_path):
    recorder = Recorder(tmp_path / "run", config={"lr": 0.1}, context={"name": "mine"}, later=lambda: {"git": None})
    recorder.write(1, {"policy.kl": 0.1, "optimizer.loss": math.nan}, time=0.5)
    recorder.write(2, {"policy.kl": 0.2})
    recorder.add("finding", {"code": "POL301"})
    recorder.add("config", {"seed": 3})
    recorder.close()
    rows = list(store.read_rows(recorder.folder))
    assert [row["step"] for row in rows] == [1, 2]
    assert rows[0]["time"] == 0.5
    assert 0 <= rows[1]["time"] < PATIENCE
    assert math.isnan(rows[0]["metrics"]["optimizer.loss"])
    assert {"finding": {"code": "POL301"}} in list(store.read_lines(recorder.folder))
    header = store.read_header(recorder.folder)
    assert header["config"] == {"lr": 0.1, "seed": 3}
    assert header["context"] == {"name": "mine", "git": None}
    assert [path.name for path in recorder.folder.iterdir()] == [store.FILE]
    assert read(recorder.folder)["policy.kl"].values.tolist() == [0.1, 0.2]


def test_a_row_is_on_disk_with_the_next_writing_which_comes_every_second(tmp_path):
    assert module.EVERY <= 1.0
    recorder = Recorder(tmp_path)
    time.sleep(0.3)
    recorder.write(1, {"a": 1.0})
    assert until(lambda: steps_in(tmp_path) == [1])
    recorder.close()


def test_flush_writes_now(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "EVERY", 2 * PATIENCE)
    recorder = Recorder(tmp_path)
    assert recorder.flush()
    recorder.write(1, {"a": 1.0})
    with no_hang():
        assert recorder.flush()
    assert steps_in(tmp_path) == [1]
    recorder.close()
    recorder.close()
    recorder.write(2, {"a": 1.0})
    assert not recorder.flush()
    assert steps_in(tmp_path) == [1]


def test_what_is_told_may_change_afterwards(tmp_path):
    recorder = Recorder(tmp_path)
    numbers, content = {"a": 1.0}, {"counts": [1]}
    recorder.write(1, numbers)
    recorder.add("histogram", content)
    numbers["a"] = 2.0
    content["counts"].append(2)
    recorder.close()
    assert next(store.read_rows(tmp_path))["metrics"] == {"a": 1.0}
    assert {"histogram": {"counts": [1]}} in list(store.read_lines(tmp_path))


def test_what_cannot_be_written_down_is_left_out(tmp_path):
    class Stubborn:
        def __float__(self):
            raise RuntimeError("no")

        def __str__(self):
            raise RuntimeError("no")

    said = []
    endless = {}
    endless["itself"] = endless
    recorder = Recorder(tmp_path, config={"thing": Stubborn(), "name": "\udcff"}, complain=said.append)
    recorder.write(1, {"a": 1.0, "b": Stubborn(), "c": "word"})
    recorder.add("note", endless)
    recorder.close()
    assert next(store.read_rows(tmp_path))["metrics"] == {"a": 1.0}
    assert store.read_header(tmp_path)["config"] == {"thing": "<Stubborn>", "name": "?"}
    assert [line["note"] for line in store.read_lines(tmp_path) if "note" in line] == [{"itself": "..."}]
    assert said == []


def test_a_second_run_gets_a_folder_of_its_own(tmp_path):
    first, second = Recorder(tmp_path / "run"), Recorder(tmp_path / "run")
    third = Recorder(tmp_path / "run")
    assert [one.folder.name for one in (first, second, third)] == ["run", "run-2", "run-3"]
    second.close()
    again = Recorder(tmp_path / "run")
    assert again.folder.name == "run-2"
    for one in (first, third, again):
        one.close()


def test_a_run_of_another_process_is_left_alone_until_it_dies(tmp_path):
    code = (
        "import sys, time; from weaklink.collect.monitor.recorder import Recorder; r = Recorder(sys.argv[1]);"
        "r.write(1, {'a': 1.0}); r.flush(); print('ready', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "run")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        assert (tmp_path / "run" / LOCK).read_text() == f"{child.pid}\n"
        beside = Recorder(tmp_path / "run")
        assert beside.folder.name == "run-2"
        beside.close()
        child.kill()
    after = Recorder(tmp_path / "run")
    assert after.folder.name == "run"
    after.write(2, {"a": 2.0})
    after.close()
    assert steps_in(tmp_path / "run") == [1, 2]


def test_a_file_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / store.FILE).write_text("hello\n", encoding="utf-8")
    recorder = Recorder(tmp_path / "run")
    recorder.close()
    assert recorder.folder.name == "run-2"
    assert (tmp_path / "run" / store.FILE).read_text() == "hello\n"


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    for folder in (tmp_path / "file" / "run", tmp_path / "file", "a\0b"):
        with pytest.raises(UsageError, match="may write"):
            Recorder(folder)


def test_a_folder_that_cannot_be_written_is_said_once(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "EVERY", 0.05)
    (tmp_path / store.FILE).mkdir()
    said = []
    recorder = Recorder(tmp_path, complain=said.append)
    for step in range(5):
        recorder.write(step, {"a": 1.0})
        assert not recorder.flush(PATIENCE)
    assert len(said) == 1
    assert "Cannot record into" in said[0]
    (tmp_path / store.FILE).rmdir()
    recorder.close()
    assert steps_in(tmp_path) == [0, 1, 2, 3, 4]
    assert len(said) == 1


def test_a_folder_that_vanishes_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "EVERY", 0.05)
    said = []
    recorder = Recorder(tmp_path / "run", config={"lr": 0.1}, complain=said.append)
    recorder.write(1, {"a": 1.0})
    recorder.flush()
    shutil.rmtree(tmp_path / "run")
    recorder.write(2, {"a": 1.0})
    recorder.flush()
    recorder.write(3, {"a": 1.0})
    recorder.close()
    assert steps_in(tmp_path / "run") == [2, 3]
    assert store.read_header(tmp_path / "run")["config"] == {"lr": 0.1}
    assert len(said) == 1
    assert "removed" in said[0]


def test_the_folder_above_is_not_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "EVERY", 0.05)
    said = []
    recorder = Recorder(tmp_path / "disk" / "run", complain=said.append)
    recorder.flush()
    shutil.rmtree(tmp_path / "disk")
    recorder.write(1, {"a": 1.0})
    recorder.close()
    assert not (tmp_path / "disk").exists()
    assert len(said) == 1


def test_a_disk_that_is_stuck_holds_nobody_up(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "STUCK_AFTER", 0.0)
    monkeypatch.setattr(module, "MOST_WAITING", 10)
    os.mkfifo(tmp_path / store.FILE)
    said = []
    recorder = Recorder(tmp_path, complain=said.append)
    assert until(lambda: recorder._writer._writing_since is not None)
    with no_hang():  # nobody reads the pipe yet: whoever waited for it would wait for ever
        for step in range(50):
            recorder.write(step, {"a": 1.0})
        assert len(said) == 1
        assert "does not answer" in said[0]
        recorder.close(wait=0.3)
    assert len(said) == 1
    got = []
    with (tmp_path / store.FILE).open("rb") as pipe:  # the disk wakes up
        got = [store.decode_line(line) for line in pipe]
    assert [line["step"] for line in got if "step" in line] == list(range(40, 50))
    assert {"dropped": 40} in got


def test_rows_of_one_step_are_merged_before_any_is_let_go(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_WAITING", 2)
    os.mkfifo(tmp_path / store.FILE)
    recorder = Recorder(tmp_path, complain=lambda message: None)
    recorder.write(1, {"a": 1.0})
    recorder.write(2, {"a": 2.0})
    recorder.write(2, {"b": 3.0})
    recorder.close(wait=0.1)
    with (tmp_path / store.FILE).open("rb") as pipe:
        got = [store.decode_line(line) for line in pipe]
    assert [line["metrics"] for line in got if "step" in line] == [{"a": 1.0}, {"a": 2.0, "b": 3.0}]
    assert not any("dropped" in line for line in got)


FILLING = """
import json, os, resource, signal, sys, time
from weaklink.collect.monitor import recorder as module

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
module.EVERY = 0.02
said = []
recorder = module.Recorder(sys.argv[1], complain=said.append)
for step in range(200):
    recorder.write(step, {"some.metric": step})
    time.sleep(0.001)
recorder.flush()
size = os.path.getsize(os.path.join(sys.argv[1], "weaklink.jsonl"))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
for step in range(200, 300):
    recorder.write(step, {"some.metric": step})
recorder.close()
print(json.dumps([said, size]))
"""


@needs_fork
def test_a_full_disk_cuts_one_line_and_loses_none(tmp_path):
    command = [sys.executable, "-c", FILLING, str(tmp_path)]
    said, size = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert size == 4096
    assert len(said) == 1
    assert steps_in(tmp_path) == list(range(300))
    whole = (tmp_path / store.FILE).read_bytes()
    assert store.decode_line(whole[:4096].rpartition(b"\n")[2]) is None, "a line was cut"


@needs_fork
def test_a_forked_child_writes_nothing_and_does_not_hang(tmp_path):
    recorder = Recorder(tmp_path)
    recorder.write(1, {"a": 1.0})
    child = os.fork()
    if child == 0:
        recorder.write(2, {"a": 2.0})
        recorder.add("note", "from the child")
        recorder.flush()
        recorder.close()
        os._exit(0 if not Path(f"/proc/self/fd/{recorder._writer._claim._handle}").exists() else 3)
    assert os.waitpid(child, 0)[1] == 0
    recorder.write(3, {"a": 3.0})
    recorder.close()
    assert steps_in(tmp_path) == [1, 3]
    assert not any("note" in line for line in store.read_lines(tmp_path))


@needs_fork
def test_a_forked_child_does_not_keep_the_lock(tmp_path):
    code = (
        "import os, sys, time; from weaklink.collect.monitor.recorder import Recorder\n"
        "r = Recorder(sys.argv[1]); r.flush()\n"
        "ours, theirs = os.pipe()\n"
        "if os.fork() == 0:\n    os.write(theirs, b'x'); time.sleep(5); os._exit(0)\n"
        "os.read(ours, 1); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "run")], check=False)
    recorder = Recorder(tmp_path / "run")
    recorder.close()
    assert recorder.folder.name == "run"


@pytest.mark.parametrize("carry", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_is_silent(tmp_path, carry):
    recorder = Recorder(tmp_path)
    other = carry(recorder)
    other.write(1, {"a": 1.0})
    other.add("note", "hello")
    assert other.flush()
    other.close()
    recorder.close()
    assert other.folder == recorder.folder
    assert steps_in(tmp_path) == []


@pytest.mark.parametrize("ending", ["", "raise SystemExit(3)", "raise ValueError", "del recorder"])
def test_an_exit_without_close_loses_nothing(tmp_path, ending):
    code = (
        "import sys; from weaklink.collect.monitor.recorder import Recorder; recorder = Recorder(sys.argv[1])\n"
        f"for step in range(100): recorder.write(step, {{'a': step}})\n{ending}"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False, capture_output=True, timeout=PATIENCE)
    assert steps_in(tmp_path) == list(range(100))
    assert not (tmp_path / LOCK).exists()


def test_a_forgotten_recorder_ends_its_thread(tmp_path):
    recorder = Recorder(tmp_path)
    recorder.write(1, {"a": 1.0})
    thread = recorder._writer._thread
    del recorder
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert steps_in(tmp_path) == [1]


def test_many_threads_may_write(tmp_path):
    recorder = Recorder(tmp_path)

    def tell(first: int) -> None:
        for step in range(first, first + 500):
            recorder.write(step, {"a": 1.0})

    threads = [threading.Thread(target=tell, args=(first,)) for first in (0, 500, 1000, 1500)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    recorder.close(wait=PATIENCE)
    assert sorted(steps_in(tmp_path)) == list(range(2000))


def test_a_context_that_hangs_or_fails_holds_up_no_row(tmp_path):
    def hangs():
        time.sleep(30)
        return {}

    def fails():
        raise RuntimeError("no git")

    for name, later in (("hangs", hangs), ("fails", fails)):
        recorder = Recorder(tmp_path / name, later=later)
        recorder.write(1, {"a": 1.0})
        assert recorder.flush(PATIENCE)
        recorder.close(wait=4)
        assert steps_in(tmp_path / name) == [1]


def test_a_complaint_that_fails_is_nobodys_trouble(tmp_path):
    (tmp_path / store.FILE).mkdir()

    def complain(message):
        raise RuntimeError(message)

    recorder = Recorder(tmp_path, complain=complain)
    recorder.write(1, {"a": 1.0})
    assert not recorder.flush()
    recorder.close()


def test_writing_costs_the_caller_a_few_lines(tmp_path):
    recorder = Recorder(tmp_path)
    numbers = {f"metric.{index}": float(index) for index in range(20)}
    costs = [count_lines(lambda step=step: recorder.write(step, numbers)) for step in range(200)]
    recorder.close(wait=PATIENCE)
    assert sorted(costs)[100] < 100
