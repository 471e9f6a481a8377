"""The updates of a trainer that is probed are read, and what they show is the cause of what fails."""

from __future__ import annotations

import os
import shlex
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from bench.trainers import ppo

from tests import outcomes, trainers
from tests.sparing import spare
from weaklink import probe
from weaklink.adapters.gymnasium.read_world import ReadEnvironment
from weaklink.base.evidence.outcome import Outcome, Rung
from weaklink.base.evidence.rollout_packing import pack_rollout, unpack_rollout
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.collect.probes.plan import ProbePlan
from weaklink.collect.probes.reading_probe import READING_PROBES
from weaklink.collect.probes.reading_trial import run_reading_trial
from weaklink.collect.probes.registration import READ_TITLES
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.judge.diagnosis.probing import judge_outcome
from weaklink.verbs.probe import ProbeOptions
from weaklink.verbs.probe import probe as probe_by

pytest.importorskip("torch")
gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from tests.monitor import plain_ppo  # noqa: E402

ROOT = Path(__file__).parents[2]
READ = ("read-update",)
STEPS = 1500


def make_trainer(fault: str = ""):
    """PPO as it is written by hand."""

    def train(make_env, steps, seed, gamma=0.9):
        envs = SyncVectorEnv([make_env] * 4, autoreset_mode=AutoresetMode.SAME_STEP)
        updates = max(1, steps // 256)
        options = plain_ppo.Options(mode=AutoresetMode.SAME_STEP, gamma=gamma, seed=seed, updates=updates, fault=fault)
        plain_ppo.train(options, envs)
        return trainers.Silent()

    return train


@cache  # the same training is asked about in several ways
def read_ppo(fault: str = "", acts: str = "discrete", seed: int = 0) -> Rung:
    """The rung of one training of the PPO by hand."""
    return read(make_trainer(fault), acts, seed)


def read(train, acts: str = "discrete", seed: int = 0) -> Rung:
    """The rung of one training that was read."""
    found = next(one for one in READING_PROBES if one.acts == acts)
    trial = run_reading_trial(train, found, STEPS, seed)
    return Rung(name=found.name, problem=found.title, environment=found.id, trials=(trial,))


@pytest.mark.filterwarnings("ignore:.*symmetric and normalized")  # wide bounds, so that actions are not clipped
@pytest.mark.parametrize("continuous", [False, True])
def test_the_environment_keeps_to_the_contract(continuous):
    check_env(ReadEnvironment(continuous=continuous), skip_render_check=True)


def test_no_two_observations_are_alike_whatever_the_seeds():
    seen, ends = [], set()
    for env in (ReadEnvironment(), ReadEnvironment()):
        seen.append(env.reset(seed=3)[0])
        for _ in range(1000):
            observation, _, terminated, truncated, _ = env.step(0)
            seen.append(observation)
            if terminated or truncated:
                ends.add((terminated, truncated))
                seen.append(env.reset()[0])
    assert len(np.unique(np.array(seen), axis=0)) == len(seen)
    assert ends == {(True, False), (False, True)}


def test_the_titles_are_those_of_the_probes():
    assert tuple(one.title for one in READING_PROBES) == READ_TITLES


def test_a_training_ends_once_enough_was_read():
    trial = read_ppo().trials[0]
    assert (trial.failure, len(trial.readings)) == ("", 3)
    assert 3 * 256 <= trial.taken < STEPS


def test_what_was_read_survives_the_way_between_processes():
    rollout = unpack_rollout(read_ppo().trials[0].readings[0])
    again = unpack_rollout(pack_rollout(rollout))
    assert rollout.estimates.gamma == again.estimates.gamma == 0.9
    np.testing.assert_array_equal(rollout.estimates.returns, again.estimates.returns)
    assert rollout.recovered.values[0].kind == again.recovered.values[0].kind
    assert rollout.recovered.policies[0].correlation == again.recovered.policies[0].correlation
    with pytest.raises(ValueError, match="rollout"):
        unpack_rollout(b"\x90")


@pytest.mark.parametrize("acts", ["discrete", "continuous"])
@pytest.mark.parametrize("seed", spare([0, 1], lambda seed: seed == 0))
def test_a_right_trainer_is_read_and_found_right(acts, seed):
    found = judge_outcome(Outcome(trainer="made", read=(read_ppo("", acts, seed),)))
    assert found.findings == ()
    assert {"DAT202", "RET202", "VAL203", "POL205", "OPT203"} <= set(found.clean)


def test_a_right_replay_is_read_and_found_right():
    pytest.importorskip("stable_baselines3")
    found = probe("sb3:DQN", only=READ, seeds=1, isolate=False).diagnosis
    assert found.findings == ()
    assert {"RET202", "POL204"} <= set(found.clean)


def test_observations_that_the_next_step_writes_over_are_read():
    def train(make_env, steps, seed, gamma=0.9):
        return ppo.train(make_env, steps, seed, gamma, fault=fault)

    fault = ""
    assert judge_outcome(Outcome(trainer="made", read=(read(train),))).findings == ()
    fault = "O01"
    found = judge_outcome(Outcome(trainer="made", read=(read(train),)))
    assert (found.first_break.link, found.first_break.code) == (Link.DATA, "DAT202")


def test_a_fault_that_was_read_is_told_though_no_rung_fails():
    found = probe(make_trainer(plain_ppo.TIME_LIMIT_AS_TERMINAL), only=READ, seeds=1, actions="discrete").diagnosis
    assert found.verdict is Verdict.BROKEN
    first = found.findings[0]
    assert (first.code, first.link, first.level) == ("RET203", Link.RETURNS, Level.WARN)
    assert "truncation treated as termination" in first.message
    assert first.verify.endswith("--only ReadUpdate")


def test_a_trainer_without_torch_is_left_to_what_it_learns():
    outcome = probe(trainers.trainer(), only=READ, seeds=1).outcome
    trial = outcome.read[0].trials[0]
    assert (trial.readings, trial.failure) == ((), "")


def test_a_trainer_that_raises_there_is_not_accused():
    rung = read(trainers.raises)
    assert rung.trials[0].failure
    assert judge_outcome(Outcome(trainer="made", read=(rung,))).findings == ()


CUT = outcomes.mistaken("time limit taken for a terminal")
IGNORED = outcomes.mistaken("terminal ignored")


def judged(*rungs: Rung, fault: str = ""):
    """A climb of these rungs by a trainer whose updates were read."""
    return judge_outcome(Outcome(trainer="made", rungs=rungs, shows=("value",), read=(read_ppo(fault),)))


def test_what_was_read_is_the_cause_of_the_rung_that_fails():
    found = judged(
        outcomes.rung("ObservedReward"), outcomes.rung("TimeLimit", CUT), fault=plain_ppo.TIME_LIMIT_AS_TERMINAL
    )
    causes = {one.code: one.consequence_of for one in found.findings}
    assert causes.pop("RET203", "") is None
    assert "PRB106" in causes
    assert set(causes.values()) == {"RET203"}
    assert "RET203 wrong-continuation" in found.findings[-1].message


def test_a_time_limit_taken_for_a_terminal_does_not_hide_what_lies_above():
    found = judged(
        outcomes.rung("TimeLimit", CUT),
        outcomes.rung("Terminal", IGNORED),
        fault=plain_ppo.TIME_LIMIT_AS_TERMINAL,
    )
    causes = [(one.code, one.consequence_of) for one in found.findings]
    assert causes[:2] == [("PRB107", None), ("RET203", None)]
    assert causes[-1] == ("PRB106", "RET203")


def test_without_a_reading_the_rung_above_a_time_limit_stands_first():
    found = judge_outcome(outcomes.climbed(outcomes.rung("TimeLimit", CUT), outcomes.rung("Terminal", IGNORED)))
    assert [(one.code, one.consequence_of) for one in found.findings] == [("PRB107", None), ("PRB106", None)]


def test_a_setting_that_is_not_applied_is_read():
    def train(make_env, steps, seed, gamma=0.9):
        return make_trainer()(make_env, steps, seed, gamma=0.5)

    found = judge_outcome(Outcome(trainer="made", rungs=(outcomes.rung("Terminal", IGNORED),), read=(read(train),)))
    assert found.first_break is not None
    assert found.first_break.link is Link.RETURNS
    assert found.findings[0].code in ("OPT203", "RET201", "RET202")
    assert "0.5" in found.findings[0].message
    assert "0.9" in found.findings[0].message
    assert found.findings[-1].consequence_of == found.first_break.code


SCRIPT = """
import sys

import gymnasium

from tests.probes.test_reading import make_trainer

env, steps, fault = sys.argv[1:]
make_trainer(fault.replace("_", " "))(lambda: gymnasium.make(env), int(steps), 0)
print("it came to its own end")
"""


def test_the_updates_of_a_script_are_read_in_its_process(tmp_path):
    file = tmp_path / "train.py"
    file.write_text(SCRIPT, encoding="utf-8")
    words = [sys.executable, str(file), "{env}", "{steps}", plain_ppo.TIME_LIMIT_AS_TERMINAL.replace(" ", "_")]
    plan = ProbePlan(only=READ, seeds=1, steps=STEPS, workers=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
        found = probe_by(ProbeOptions(command=shlex.join(words), plan=plan))
    trial = found.outcome.read[0].trials[0]
    assert (trial.failure, len(trial.readings)) == ("", 3)
    assert 3 * 256 <= trial.taken < STEPS
    assert found.diagnosis.first_break.code == "RET203"
    assert "truncation treated as termination" in found.diagnosis.findings[0].message


def test_a_script_that_learns_without_torch_is_not_read(tmp_path):
    file = tmp_path / "train.py"
    play = "env.reset(seed=0)\nfor _ in range(100):\n    if any(env.step(0)[2:4]):\n        env.reset()\n"
    file.write_text(f"import sys\nimport gymnasium\nenv = gymnasium.make(sys.argv[1])\n{play}", encoding="utf-8")
    plan = ProbePlan(only=READ, seeds=1, steps=100, workers=1)
    found = probe_by(ProbeOptions(command=shlex.join([sys.executable, str(file), "{env}"]), plan=plan))
    assert found.outcome.read[0].trials[0].readings == ()
    assert found.diagnosis.findings == ()
