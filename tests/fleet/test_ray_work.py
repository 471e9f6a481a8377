"""Processes that run elsewhere: the same messages, ends and answers, by a relay that stands in for each of them."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import msgspec
import pytest

from tests.cli.logs import healthy_log, sick_log
from tests.experiments.projects import bandit, project
from tests.looping import loop_over
from tests.outside.echo import Answered, Asked
from tests.outside.test_ending import is_running, wait_until
from tests.patience import PATIENCE
from weaklink.base.errors import ReadError
from weaklink.base.outside.child import Supervisor, make_module_command
from weaklink.base.outside.lending import LentMachines, count_room, lend_machines
from weaklink.collect.probes.plan import ProbePlan
from weaklink.verbs.cluster import lend_cluster
from weaklink.verbs.compare import CompareOptions, compare
from weaklink.verbs.confirm.experimenting import ConfirmOptions, confirm
from weaklink.verbs.confirm.plan import ExperimentPlan, parse_subject
from weaklink.verbs.probe import ProbeOptions, probe

ROOT = Path(__file__).parents[2]
HERE = (
    sys.executable,
    "-c",
    "import json, os, sys; told = json.loads(os.environ['WEAKLINK_CARRIED']); "
    "os.execve(sys.argv[1], sys.argv[1:], {'PATH': os.environ['PATH'], **told})",
)
"""A relay to this machine, on which the process has nothing but what is carried."""


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", ""))))


def ask(supervisor, child, what, value=None):
    child.say(Asked(what, value))
    event = supervisor.wait()
    assert event is not None
    return None if event[1] is None else event[1].value


def start(supervisor, **options):
    child = supervisor.start(make_module_command("tests.outside.echo"), Answered, seconds=PATIENCE, **options)
    event = supervisor.wait()
    assert event == (child, Answered("ready", options.get("folder") or str(ROOT))), child.last_words()
    return child


def strip(thing: object) -> object:
    """Without how long it took, and in the order of seeds: who ends first is by chance."""
    if isinstance(thing, dict):
        return {name: strip(part) for name, part in thing.items() if name not in ("seconds", "taken")}
    if isinstance(thing, list | tuple):
        parts = [strip(part) for part in thing]
        return sorted(parts, key=lambda one: one["seed"]) if parts and _has_seed(parts[0]) else parts
    return thing


def _has_seed(part: object) -> bool:
    return isinstance(part, dict) and "seed" in part


def test_a_relay_is_given_the_command_and_what_differs_from_our_environment(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with lend_machines(LentMachines(HERE, 7)), Supervisor[Answered]() as supervisor:
        child = start(supervisor, environment={"ONLY_THIS": "1"}, threads=3)
        assert ask(supervisor, child, "environment", "ONLY_THIS") == "1"
        assert ask(supervisor, child, "environment", "OMP_NUM_THREADS") == "3"
        assert ask(supervisor, child, "environment", "HOME") is None
        assert ask(supervisor, child, "echo", [1, "two"]) == [1, "two"]


@loop_over(case=[(0, 7), (3, 3), (100, 7)])
def test_as_many_run_as_there_are_cores_elsewhere(case):
    wanted, room = case
    with lend_machines(LentMachines(HERE, 7)):
        assert count_room(wanted, most=2) == room
    assert count_room(5, most=2) == 5
    assert count_room(0, most=1) == 1


def test_a_server_for_each_job_gives_the_same_experiment(tmp_path):
    subject = parse_subject(project(tmp_path, bandit(0.01)))
    options = ConfirmOptions(code="POL303", subject=subject, plan=ExperimentPlan(seeds=2))
    here = confirm(options)
    relay = (sys.executable, "-c", "import os, sys; os.execv(sys.argv[1], sys.argv[1:])")
    with lend_machines(LentMachines(relay, 2)):
        elsewhere = confirm(options)
    assert strip(msgspec.to_builtins(elsewhere)) == strip(msgspec.to_builtins(here))


@pytest.fixture(scope="class")
def cluster():
    pytest.importorskip("ray")
    with lend_cluster("local"):
        yield


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("cluster")
class TestLocalRay:
    """One Ray for all of them: it takes seconds to start."""

    def test_messages_and_prints_pass(self, tmp_path):
        with Supervisor[Answered]() as supervisor:
            child = start(supervisor, folder=str(tmp_path), environment={"ONLY_THIS": "1"})
            assert ask(supervisor, child, "environment", "ONLY_THIS") == "1"
            assert ask(supervisor, child, "echo", "x" * 3_000_000) == "x" * 3_000_000
            ask(supervisor, child, "print", 100)
            wait_until(lambda: "the end" in child.printed)

    def test_an_end_is_the_same_end(self):
        with Supervisor[Answered]() as supervisor:
            child = start(supervisor)
            assert ask(supervisor, child, "exit", 7) is None
            assert child.code == 7
            assert child.last_words().endswith("the last words")

    def test_nothing_is_left_where_the_relay_is_killed(self):
        with Supervisor[Answered]() as supervisor:
            child = start(supervisor)
            left = ask(supervisor, child, "start", False)
            assert is_running(left)
            os.kill(child.pid, signal.SIGKILL)
            while supervisor.children:
                supervisor.wait()
            wait_until(lambda: not is_running(left))

    def test_a_ladder_and_an_experiment_say_what_they_say_here(self, tmp_path):
        word = f"{ROOT / 'tests' / 'trainers.py'}:right"
        options = ProbeOptions(trainer=word, plan=ProbePlan(seeds=2, only=("ConstantReward",), steps=200))
        subject = parse_subject(project(tmp_path, bandit(0.01)))
        asked = ConfirmOptions(code="POL303", subject=subject, plan=ExperimentPlan(seeds=3))
        there = probe(options), confirm(asked)
        with lend_machines(None):
            here = probe(options), confirm(asked)
        assert strip(msgspec.to_builtins(there[0].outcome)) == strip(msgspec.to_builtins(here[0].outcome))
        assert there[0].diagnosis == here[0].diagnosis
        assert strip(msgspec.to_builtins(there[1])) == strip(msgspec.to_builtins(here[1]))


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore")
def test_seeds_are_compared_as_here(tmp_path):
    pytest.importorskip("ray")
    for seed in range(6):
        (healthy_log if seed % 2 else sick_log)(tmp_path / f"{'ab'[seed % 2]}_{seed}")
    paths = (str(tmp_path / "a_*"), str(tmp_path / "b_*"))
    here, there = (compare(CompareOptions(paths=paths, anyway=True, ray=ray)) for ray in ("", "local"))
    assert there.contrast == here.contrast
    assert there.diagnosis == here.diagnosis
    (tmp_path / "a_9").mkdir()
    (tmp_path / "a_9" / "progress.csv").write_text("time/total_timesteps,rollout/ep_rew_mean\n")
    with pytest.raises(ReadError, match="no number"):
        compare(CompareOptions(paths=paths, ray="local"))
