"""Trainings in processes of their own: whatever a trainer does, its trial comes back and nothing is left behind."""

from __future__ import annotations

import math
import os
import tempfile
import time
from pathlib import Path

import msgspec
import pytest

from tests import trainers
from tests.patience import PATIENCE
from tests.sparing import spare
from weaklink import probe
from weaklink.base.errors import UsageError
from weaklink.collect.probes.inline import InlineRunner
from weaklink.collect.probes.ladder import ProbeJob
from weaklink.collect.probes.plan import ProbePlan
from weaklink.collect.probes.pool import ProbePool

ROOT = Path(__file__).parents[2]
FILE = str(ROOT / "tests" / "trainers.py")
FIRST = ProbeJob("ConstantReward", 0, 200)

COUNTED = f"""
import os, sys, threading, time
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from tests.trainers import dies_once, right
HERE, count = Path(__file__).parent, 1
while True:
    try:
        (HERE / str(count)).touch(exist_ok=False)
        break
    except FileExistsError:
        count += 1
"""
"""The beginning of a module that knows how often it was imported."""


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """A folder of its own for what is temporary."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def pid_file(tmp_path, monkeypatch):
    file = tmp_path / "pids"
    monkeypatch.setenv(trainers.PID, str(file))
    return file


def word(name: str) -> str:
    return f"{FILE}:{name}"


def counted(folder: Path, *lines: str) -> str:
    """A module with these lines, in which `count` says how often it was imported."""
    file = folder / "counted.py"
    file.write_text("\n".join((COUNTED, *lines)))
    return str(file)


def pooled(name: str, jobs: list[ProbeJob], **fields):
    """The trials of these jobs, in the order in which they ended."""
    return trained(ProbePool(word(name), ProbePlan(**{"workers": 1, "timeout": 30.0, **fields})), jobs)


def trained(pool: ProbePool, jobs: list[ProbeJob]):
    """The trials of these jobs, in the order in which they ended; the pool is closed."""
    waiting, running, ended = list(jobs), 0, []
    try:
        while waiting or running:
            while waiting and running < pool.room:
                pool.begin(waiting.pop(0))
                running += 1
            ended.append(pool.finished())
            running -= 1
        return ended
    finally:
        pool.close()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def gone(pid: int) -> bool:
    deadline = time.monotonic() + PATIENCE
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pid)


def test_a_process_gives_what_this_one_gives():
    jobs = [ProbeJob("TwoActions", seed, 300) for seed in (0, 1)] + [ProbeJob("Terminal", 1, 300)]
    inline = InlineRunner(trainers.right)
    for job in jobs:
        inline.begin(job)
    expected = dict(inline.finished() for _ in jobs)
    came = dict(pooled("right", jobs, workers=2))
    assert set(came) == set(jobs)
    for job, trial in came.items():
        untimed = msgspec.structs.replace(trial, seconds=expected[job].seconds)
        assert repr(untimed) == repr(expected[job]), "as text, because no NaN equals another"


def test_numbers_that_are_not_finite_arrive():
    ((_, trial),) = pooled("not_finite", [ProbeJob("DelayedReward", 0, 200)])
    assert trial.kind == ""
    assert all(math.isnan(measure.measured) for measure in trial.measures)
    ((_, large),) = pooled("right", [ProbeJob("LargeRewards", 0, 200)])
    assert math.inf in {measure.high for measure in large.measures}


def test_it_knows_what_the_trainer_says_of_itself():
    pool = ProbePool(word("q_learner"), ProbePlan(workers=1))
    pool.close()
    assert (pool.traits.actions, pool.traits.steps, pool.traits.forms) == (("discrete",), trainers.STEPS, ())


def test_what_a_trainer_raises_is_its_trial():
    ((job, trial),) = pooled("raises", [FIRST])
    assert job == FIRST
    assert (trial.kind, trial.failure) == ("raised", "ValueError: shapes (64,) and (64, 1) do not fit")
    assert trial.taken == 40
    assert "in raises" in trial.printed


@pytest.mark.parametrize(
    ("name", "told"),
    spare(
        [
            ("exits", "the whole process died: exit code 7: the last words"),
            ("crashes", "the whole process died: SIGSEGV: Fatal Python error: Segmentation fault"),
        ],
        lambda one: one[0] == "crashes",
    ),
)
def test_one_that_takes_its_process_down_is_a_trial_and_the_next_goes_on(name, told):
    ended = pooled(name, [FIRST, ProbeJob("ConstantReward", 1, 200)])
    assert [trial.kind for _, trial in ended] == ["died", "died"]
    assert [job.seed for job, _ in ended] == [0, 1]
    assert all(trial.failure == told for _, trial in ended)


def test_one_that_hangs_is_ended_with_what_it_started(pid_file):
    began = time.monotonic()
    ((_, trial),) = pooled("hangs", [FIRST], timeout=2.0)
    assert (trial.kind, trial.failure) == ("hung", "no end within 2 seconds")
    assert 2.0 <= trial.seconds < PATIENCE
    assert time.monotonic() - began < PATIENCE
    pids = [int(pid) for pid in pid_file.read_text().split()]
    assert len(pids) == 2
    assert all(gone(pid) for pid in pids)


@pytest.mark.parametrize(("name", "kind"), [("dies_once", "died"), ("hangs_once", "hung")])
def test_a_replaced_worker_goes_on(name, kind, pid_file):
    jobs = [ProbeJob("ConstantReward", seed, 200) for seed in range(3)]
    ended = dict(pooled(name, jobs, timeout=6.0))
    assert [ended[job].kind for job in jobs] == [kind, "", ""]
    assert ended[jobs[1]].holds
    assert ended[jobs[2]].holds


def test_a_training_that_ended_is_not_late_while_another_process_loads(temporary):
    file = counted(temporary, "time.sleep(8.0 if count == 2 else 0.0)")
    jobs = [ProbeJob("ConstantReward", seed, 200) for seed in range(3)]
    ended = dict(trained(ProbePool(f"{file}:right", ProbePlan(workers=2, timeout=6.0)), jobs))
    assert [ended[job].kind for job in jobs] == ["", "", ""]
    assert all(trial.holds for trial in ended.values())


def test_a_training_that_ended_is_not_late_because_nobody_asked():
    pool = ProbePool(word("right"), ProbePlan(workers=1, timeout=2.0))
    pool.begin(FIRST)
    time.sleep(3.0)
    job, trial = pool.finished()
    pool.close()
    assert (job, trial.kind) == (FIRST, "")


def ends_until_room_is(room: int, pool: ProbePool) -> bool:
    """Trains again and again until the pool has no more room than this."""
    deadline = time.monotonic() + PATIENCE
    while pool.room > room and time.monotonic() < deadline:
        pool.begin(FIRST)
        assert pool.finished()[1].kind == ""
    return pool.room == room


@pytest.mark.parametrize("fails", spare(["raise RuntimeError('not today')", "os._exit(3)"], lambda how: "exit" in how))
def test_it_goes_on_without_a_process_that_cannot_load_the_trainer(fails, temporary):
    file = counted(temporary, "if count == 3:", "    time.sleep(1.0)", f"    {fails}")
    pool = ProbePool(f"{file}:right", ProbePlan(workers=3, timeout=30.0))
    assert ends_until_room_is(2, pool)
    jobs = [ProbeJob("ConstantReward", seed, 200) for seed in range(5)]
    ended = dict(trained(pool, jobs))
    assert [ended[job].kind for job in jobs] == [""] * 5


def test_a_climb_ends_where_a_later_process_cannot_load_the_trainer(temporary):
    file = counted(temporary, "if count == 3:", "    time.sleep(1.0)", "    raise RuntimeError('not today')")
    result = probe(f"{file}:right", workers=3, seeds=2, only=("constant-reward", "two-actions"))
    assert result.diagnosis.first_break is None
    assert {rung.name for rung in result.outcome.rungs} == {"constant-reward", "two-actions"}


def test_it_goes_on_without_a_process_that_never_ends_loading(temporary):
    file = counted(temporary, "time.sleep(600.0 if count == 2 else 0.0)")
    pool = ProbePool(f"{file}:right", ProbePlan(workers=2, timeout=30.0))
    for worker in pool.workers.supervisor.children:
        if worker.deadline < math.inf:  # it is loading
            worker.allow(1.0)
    assert ends_until_room_is(1, pool)
    ((_, trial),) = trained(pool, [FIRST])
    assert trial.holds


def test_no_process_that_can_load_the_trainer_is_left(temporary):
    file = counted(temporary, "if count == 2:", "    raise RuntimeError('not today')")
    pool = ProbePool(f"{file}:dies_once", ProbePlan(workers=1, timeout=30.0))
    with pytest.raises(UsageError, match="RuntimeError: not today"):
        trained(pool, [FIRST, ProbeJob("ConstantReward", 1, 200)])
    assert list(temporary.glob("weaklink-*")) == []


def test_a_process_that_dies_between_trainings_is_replaced(temporary):
    file = counted(
        temporary,
        "def wait_for(name):",
        "    while not (HERE / name).exists():",
        "        time.sleep(0.05)",
        "def die():",
        "    wait_for('die')",
        "    os._exit(3)",
        "def train(make_env, steps, seed, gamma=0.9):",
        "    if seed == 1:",
        "        (HERE / 'both').touch()",
        "        wait_for('dead')",
        "    wait_for('both')",
        "    if seed == 0:",
        "        (HERE / 'pid').write_text(str(os.getpid()))",
        "        threading.Thread(target=die).start()",
        "    return right(make_env, steps, seed, gamma)",
    )
    jobs = [ProbeJob("ConstantReward", seed, 200) for seed in range(2)]
    pool = ProbePool(f"{file}:train", ProbePlan(workers=2, timeout=PATIENCE))
    for job in jobs:
        pool.begin(job)
    ended = [pool.finished()]
    (temporary / "die").touch()
    assert gone(int((temporary / "pid").read_text()))
    (temporary / "dead").touch()
    ended.append(pool.finished())
    assert [(job.seed, trial.kind) for job, trial in ended] == [(0, ""), (1, "")]
    more = [ProbeJob("ConstantReward", seed, 200) for seed in (2, 3)]
    assert [trial.kind for _, trial in trained(pool, more)] == ["", ""]


def test_whatever_it_prints_stays_apart(temporary):
    began = time.monotonic()
    ((_, trial),) = pooled("talks", [FIRST])
    assert trial.holds
    assert trial.failure == ""
    assert time.monotonic() - began < PATIENCE
    assert list(temporary.glob("weaklink-*")) == [], "what it printed is not left on the disk"


def test_closing_ends_what_still_runs(pid_file, temporary):
    pool = ProbePool(word("hangs_once"), ProbePlan(workers=1))
    pool.begin(FIRST)
    deadline = time.monotonic() + PATIENCE
    while not pid_file.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.05)
    pool.close()
    assert gone(int(pid_file.read_text()))
    assert list(temporary.glob("weaklink-*")) == []


@pytest.mark.parametrize(
    ("trainer", "told"),
    spare(  # tests/cli/test_probe.py tells most of them in this process
        [
            ("no_such_module_at_all:train", "cannot import no_such_module_at_all"),
            (f"{FILE}:nobody", "no 'nobody'"),
            ("missing/file.py:train", "no file missing/file.py"),
            ("train", "module:name or file.py:name"),
            (f"{FILE}:wrong_signature", "cannot be called as train(make_env, steps, seed)"),
            (f"{FILE}:NOT_CALLABLE", "is no trainer"),
        ],
        lambda one: one[0].startswith("no_such") or one[0].endswith("NOT_CALLABLE"),
    ),
)
def test_what_cannot_be_used_is_said_at_once(trainer, told, temporary):
    with pytest.raises(UsageError) as raised:
        ProbePool(trainer, ProbePlan(workers=2))
    assert told in str(raised.value)
    assert list(temporary.glob("weaklink-*")) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("raise RuntimeError('not today')", r"Loading .* failed: RuntimeError: not today"),
        ("def train(:\n", "SyntaxError"),
        (
            "import os, sys\nsys.stderr.write('gone')\nsys.stderr.flush()\nos._exit(3)",
            "ended the whole process: exit code 3: gone",
        ),
    ],
)
def test_a_module_that_fails_when_it_is_loaded(content, told, temporary):
    file = temporary / "module.py"
    file.write_text(content)
    with pytest.raises(UsageError, match=told):
        ProbePool(f"{file}:train", ProbePlan(workers=1))


def test_a_whole_probe_in_processes():
    result = probe(word("sign_flipped"), workers=2, seeds=2, only=("constant-reward", "two-actions"))
    assert result.outcome.trainer == word("sign_flipped")
    first = result.diagnosis.first_break
    assert first is not None
    assert first.code == "PRB104"
