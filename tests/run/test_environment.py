"""The environment of a script is looked at beside its training, by a fork that touches nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time

import pytest

import weaklink
from tests.patience import PATIENCE
from tests.run.running import run_watched
from weaklink.base.evidence.store import Recording
from weaklink.base.finding import Level
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.verbs.run.environment import keep_survey

pytest.importorskip("gymnasium")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a survey beside a training is a fork")


def run_world(capfd, tmp_path, fault, **options):
    ran, said, _ = run_watched(
        capfd, tmp_path / "runs", "own_world.py", fault, str(tmp_path / "diary"), survey=True, **options
    )
    assert ran.code == 0
    return ran.diagnoses[0], int(said.split()[-1])


def test_a_world_that_leaks_is_the_first_break(capfd, tmp_path):
    diagnosis, _ = run_world(capfd, tmp_path, "leak")
    assert diagnosis.verdict is Verdict.BROKEN
    assert diagnosis.first_break.code == "ENV103"


def test_a_sound_world_says_nothing(capfd, tmp_path):
    diagnosis, _ = run_world(capfd, tmp_path, "sound")
    assert not [one for one in diagnosis.findings if one.code[3] == "1" and one.severity >= Level.WARN]
    assert not [note for note in diagnosis.notes if "survey" in note]


def test_the_fork_writes_nothing_and_the_report_says_that_it_gave_up(capfd, tmp_path):
    diagnosis, script = run_world(capfd, tmp_path, "writes")
    assert {int(line) for line in (tmp_path / "diary").read_text().split()} == {script}
    assert any("was not surveyed" in note and "open of" in note for note in diagnosis.notes)


def test_what_cannot_be_copied_is_left_alone(capfd, tmp_path):
    diagnosis, _ = run_world(capfd, tmp_path, "holds")
    assert any("was not surveyed" in note and "lock" in note for note in diagnosis.notes)


def test_a_survey_that_is_cut_off_says_so(tmp_path):
    with Recording(tmp_path / "runs" / "loop") as recording:
        recording.write(1, {"reward.episode_return": 1.0})
    make = "import gymnasium; made = lambda left_out: gymnasium.make('CartPole-v1')"
    words = f"""
        import os, pathlib, sys, time
        from weaklink.collect.survey import beside
        {make}
        place = pathlib.Path(sys.argv[1])
        beside.fork_survey(made, "CartPole-v1", place, os.getpid())
        while beside.read_survey(place) is None:
            time.sleep(0.01)
    """  # the survey ends with the process that waits for it
    command = [sys.executable, "-c", textwrap.dedent(words), str(tmp_path / "survey")]
    subprocess.run(command, check=True, timeout=PATIENCE)
    keep_survey(tmp_path / "survey", tmp_path / "runs", 0.0)
    assert any("in part only" in note for note in weaklink.diagnose(tmp_path / "runs" / "loop").notes)


def test_it_can_be_left_out(capfd, tmp_path):
    ran, _, _ = run_watched(capfd, tmp_path / "runs", "own_world.py", "leak", "-", survey=False)
    assert "ENV103" not in [finding.code for finding in ran.diagnoses[0].findings]


def test_a_library_that_hangs_at_a_fork_does_not_hold_the_training_up(tmp_path):
    words = """
        import os, pathlib, sys, time
        from weaklink.collect.survey import beside
        beside.PROMPT = 0.2
        os.register_at_fork(after_in_child=lambda: time.sleep(600))
        beside.fork_survey(lambda left_out: None, "world", pathlib.Path(sys.argv[1]), os.getppid())
        print("goes on")
    """
    command = [sys.executable, "-c", textwrap.dedent(words), str(tmp_path / "survey")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.stdout == "goes on\n"


def test_a_fork_that_cannot_fork_again_never_goes_on_with_the_script(tmp_path):
    words = """
        import os, pathlib, sys
        from weaklink.collect.survey import beside
        real, script = os.fork, os.getpid()
        def fork():
            if os.getpid() != script:
                raise OSError("no more processes")
            return real()
        os.fork = fork
        beside.fork_survey(lambda left_out: None, "world", pathlib.Path(sys.argv[1]), os.getppid())
        print("goes on", flush=True)
    """
    command = [sys.executable, "-c", textwrap.dedent(words), str(tmp_path / "survey")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (done.stdout, done.returncode) == ("goes on\n", 0)


def test_no_fork_outlives_a_script_that_dies(capfd, tmp_path):
    before = list_own_processes()
    ran, _, _ = run_watched(capfd, tmp_path / "runs", "tabular.py", "raise", survey=True)
    assert ran.code == 1
    until = time.monotonic() + PATIENCE
    while (left := list_own_processes() - before) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left


def list_own_processes():
    """The processes of the scripts of these tests."""
    found = set()
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as file:
                if entry.isdigit() and b"tabular.py" in file.read():
                    found.add(entry)
        except OSError:
            continue
    return found
