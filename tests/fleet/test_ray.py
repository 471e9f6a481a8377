"""Ray does what processes do: the same answers, and a process that dies loses nothing."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.fleet.sweeps import make_sweep, options
from tests.fleet.test_many_runs import diagnoses, list_jobs
from weaklink.adapters.ray import tasks
from weaklink.base.errors import UsageError
from weaklink.verbs.diagnose import diagnose
from weaklink.verbs.fleet.labour import MOST_TRIES, HereLabour
from weaklink.verbs.fleet.work import FleetStart

ray = pytest.importorskip("ray")


def list_ray_workers() -> list[int]:
    """The processes of Ray on this machine that do tasks of ours."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path("/proc", name, "cmdline").read_bytes()
        except OSError:
            continue
        if command.startswith(b"ray::answer"):
            found.append(int(name))
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_local_ray_answers_as_this_process_does_though_its_processes_are_killed(tmp_path):
    from weaklink.verbs.fleet.ray_labour import RayLabour

    jobs, start = list_jobs(make_sweep(tmp_path, 24)), FleetStart()
    labour, replies = RayLabour(start, "local"), []
    killed_at = range(2, 2 + MOST_TRIES - 1)  # no oftener than one job may lose its process: it could be the same one
    try:
        for reply in labour.judge(jobs):
            replies.append(reply)
            if len(replies) in killed_at:
                for process in list_ray_workers()[:1]:
                    os.kill(process, signal.SIGKILL)
    finally:
        labour.close()
    assert sorted(reply.number for reply in replies) == list(range(24))
    assert diagnoses(replies) == diagnoses(HereLabour(start).judge(jobs))


def test_without_ray_the_message_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"weaklink\[ray\]"):
        diagnose(options(make_sweep(tmp_path, 2), ray="local"))


def note_and_answer(message: bytes) -> bytes:
    """Notes in a file that this was asked, and answers; this runs in the processes of Ray."""
    folder, number = message.decode().rsplit(":", 1)
    with Path(folder, number).open("a") as noted:
        noted.write("asked\n")
    time.sleep(0.1)
    return number.encode()


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore")
def test_two_nodes_of_which_one_is_killed_answer_all_and_repeat_nothing_that_was_done(tmp_path):
    from ray.cluster_utils import Cluster

    from weaklink.verbs.fleet.ray_labour import RayLabour

    jobs, start = list_jobs(make_sweep(tmp_path / "runs", 24)), FleetStart()
    noted = tmp_path / "noted"
    noted.mkdir()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    other = cluster.add_node(num_cpus=1)
    labour = RayLabour(start, cluster.address)
    try:
        replies = list(labour.judge(jobs))
        messages = {number: f"{noted}:{number}".encode() for number in range(60)}
        done: dict[int, bytes | str] = {}
        before: set[int] = set()
        for number, answer in labour.tasks.answer_all(f"{__name__}:note_and_answer", messages, 3):
            done[number] = answer
            if len(done) == 20:
                before = set(done)
                cluster.remove_node(other, allow_graceful=False)
    finally:
        labour.close()
        cluster.shutdown()
    assert diagnoses(replies) == diagnoses(HereLabour(start).judge(jobs))
    assert done == {number: str(number).encode() for number in messages}
    assert all(len((noted / str(number)).read_text().split()) == 1 for number in before)
