from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.cli.logs import call, invoke
from tests.cli.test_manners import on_a_terminal
from tests.cli.test_report import inside
from tests.patience import PATIENCE, wait_for_turns, wait_until
from tests.show.test_data import OF_A_FINDING, PROMISED
from tests.unwrapping import unwrapped
from weaklink.collect.survey.surveyed import surveyed

WORLDS = '''
import pathlib
import gymnasium as gym
import numpy as np
from gymnasium import spaces


class Sound(gym.Env):
    """Stay near zero; what is seen, done and paid belong together."""

    observation_space = spaces.Box(-10.0, 10.0, (2,), np.float32)
    action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self, length=20):
        self.length = length

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.speed, self.clock = self.np_random.uniform(-3, 3), 0.0, 0
        return self.seen(), {}

    def step(self, action):
        self.speed = float(np.clip(self.speed + 0.5 * float(action[0]), -1.0, 1.0))
        self.place = float(np.clip(self.place + self.speed, -5.0, 5.0))
        self.clock += 1
        return self.seen(), -abs(self.place), False, self.clock >= self.length, {}

    def seen(self):
        return np.array([self.place, self.speed], dtype=np.float32)


class Sick(Sound):
    """The same observation again and again, and nothing is ever paid."""

    def seen(self):
        return np.zeros(2, dtype=np.float32)

    def step(self, action):
        seen, _, *rest = super().step(action)
        return seen, 0.0, *rest


class Chatty(Sick):
    def step(self, action):
        print("a step")
        return super().step(action)


class Tells(Sound):
    """Says when it has been played for a while."""

    steps = 0

    def step(self, action):
        Tells.steps += 1
        if Tells.steps == 5000:
            pathlib.Path("played").touch()
        return super().step(action)


class Falls(Sound):
    def step(self, action):
        raise RuntimeError("the simulator is gone")


def hold(observation):
    return np.array([np.clip(-observation[0] - 2 * observation[1], -1, 1)], dtype=np.float32)
'''

UNHURRIED = ("--seconds", "3600")  # its steps and episodes end it
QUICK = ("--in-process", *UNHURRIED, "--steps", "200", "--episodes", "5")


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("worlds")
    (folder / "worlds.py").write_text(WORLDS)
    before = os.getcwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)
    sys.modules.pop("worlds", None)


@pytest.fixture(scope="module", autouse=True)
def surveyed_once():
    """A world is surveyed once in the same way, whatever the rules are then asked and however it is shown."""
    surveys = {}

    def survey(environment, plan, *, policies, report):
        asked = repr((environment, plan, sorted(policies)))
        if asked not in surveys:
            surveys[asked] = surveyed(environment, plan, policies=policies, report=report)
        return surveys[asked]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("weaklink.verbs.preflight.surveyed", survey)
        yield


def weaklink(*arguments):
    return invoke("preflight", *arguments)


@pytest.fixture(scope="module")
def sick(worlds):
    """The whole of a sick world as data, surveyed once."""
    result = weaklink("worlds.py:Sick", *QUICK, "--all", "--format", "json")
    assert result.exit_code == 1, result.stderr
    assert result.stderr == ""
    return json.loads(result.stdout)


def test_what_an_environment_prints_in_this_process_is_no_part_of_the_answer(worlds):
    result = weaklink("worlds.py:Chatty", *QUICK, "--all", "-f", "json")
    assert json.loads(result.stdout)["verdict"] == "broken"


def codes(document) -> set[str]:
    return {finding["code"] for finding in document["findings"]}


def test_json_keeps_its_contract(sick):
    assert list(sick)[: len(PROMISED)] == PROMISED
    assert (sick["command"], sick["target"], sick["verdict"]) == ("preflight", "worlds.py:Sick", "broken")
    for key in (
        "coverage",
        "advice",
        "notes",
        "unable",
        "framework",
        "seconds",
        "environment",
        "checklist",
        "pictures",
    ):
        assert key in sick
    assert sick["unable"] == {}
    assert all(list(finding) == OF_A_FINDING for finding in sick["findings"])
    assert sick["first_break"] == {"link": "observation", "code": "OBS101", "step": None}
    assert {"OBS101", "REW101"} <= codes(sick)
    environment = sick["environment"]
    assert environment["observation"] == {"kind": "box", "size": 2, "shape": [2]}
    assert environment["action"] == {"kind": "box", "size": 1, "shape": [1]}
    assert environment["facts"]["framework"] == "gymnasium"
    assert environment["timing"]["steps_per_second"] > 0
    assert set(sick["checklist"][0]) == {"name", "question", "state", "told", "command"}
    assert {item["state"] for item in sick["checklist"]} <= {"done", "failed", "open"}
    assert set(sick["pictures"]) == {"rewards", "baselines", "traces", "sweeps", "shares"}
    assert sick["coverage"]["judged"] > 20


def test_without_all_it_stops_at_the_first_break(sick):
    result = weaklink("worlds.py:Sick", *QUICK, "-f", "json")
    short = json.loads(result.stdout)
    assert result.exit_code == 1
    assert short["first_break"] == sick["first_break"]
    assert codes(short) < codes(sick)
    assert all(
        finding["code"] == "OBS101" or finding["consequence_of"] == "OBS101"
        for finding in short["findings"]
        if finding["level"] != "info"
    )


def test_a_sound_world_passes(worlds):
    result = weaklink("worlds.py:Sound", *QUICK, "--checklist")
    assert result.exit_code == 0, result.stdout
    assert result.stdout.startswith("HEALTHY  ")
    assert "sees 2 numbers" in unwrapped(result.stdout)
    assert "Before training" in unwrapped(result.stdout)
    assert "Traceback" not in result.stderr


def test_a_sick_world_is_named_and_fails(worlds):
    result = weaklink("worlds:Sick", *QUICK, "--select", "OBS,REW101")
    assert result.exit_code == 1
    assert result.stdout.startswith("BROKEN  ")
    assert "\nOBS101 constant-observation · observation · " in result.stdout


def test_markdown_into_a_file(worlds, tmp_path):
    file = tmp_path / "report.md"
    result = weaklink("worlds.py:Sick", *QUICK, "--format", "markdown", "-o", file)
    assert (result.exit_code, result.stdout) == (1, "")
    text = file.read_text(encoding="utf-8")
    assert text.startswith("## BROKEN: observation, OBS101 constant-observation")
    assert "| `random` |" in text
    assert "- [ ] " in text


def test_a_page_into_a_file(worlds, tmp_path):
    file = tmp_path / "report.html"
    result = weaklink("worlds.py:Sick", *QUICK, "--format", "html", "-o", file)
    assert (result.exit_code, result.stdout) == (1, "")
    page = inside(file.read_text(encoding="utf-8"))["pages"][0]
    assert page["headline"].startswith("observation, OBS101")
    assert {"rewards", "seen", "checklist"} <= {section["id"] for section in page["sections"]}


@pytest.mark.parametrize(
    ("options", "code"),
    [(("--fail-on", "never"), 0), (("--select", "ACT105,TSK107", "--fail-on", "info"), 0), (("--fail-on", "error"), 1)],
)
def test_fail_on(worlds, options, code):
    assert weaklink("worlds.py:Sick", *QUICK, *options).exit_code == code


def test_select_ignore_and_set(worlds):
    only = json.loads(weaklink("worlds.py:Sick", *QUICK, "-f", "json", "--select", "REW101,REW102").stdout)
    assert codes(only) == {"REW101"}
    assert only["coverage"]["asked"] == 2
    rest = json.loads(
        weaklink("worlds.py:Sick", *QUICK, "-f", "json", "--select", "REW10", "--ignore", "REW101").stdout
    )
    assert "REW101" not in codes(rest) | set(rest["clean"]) | set(rest["blind"])
    lax = weaklink("worlds.py:Sound", *QUICK, "-f", "json", "--select", "REW102", "--set", "REW102.share=2.0")
    assert codes(json.loads(lax.stdout)) == {"REW102"}


def test_a_policy_of_ones_own_and_arguments(worlds):
    result = weaklink(
        "worlds.py:Sound", *QUICK, "-f", "json", "--automaton", "worlds:hold", "--arg", "length=12", "--all"
    )
    document = json.loads(result.stdout)
    means = {one["policy"]: one["mean"] for one in document["pictures"]["baselines"]["plays"]}
    assert means["automaton"] > means["random"]
    assert means["automaton"] > -40.0


def test_returns_of_a_trained_policy(worlds, tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps([-2.0 - 0.01 * number for number in range(100)]))
    asked = ("worlds.py:Sound", *QUICK, "-f", "json", "--select", "TSK101", "--set", "TSK101.episodes=5")
    document = json.loads(weaklink(*asked, "--returns", good).stdout)
    assert document["clean"] == ["TSK101"]
    random = next(one for one in document["pictures"]["baselines"]["plays"] if one["policy"] == "random")
    bad.write_text(json.dumps([random["mean"] - 1.0 + 0.1 * (number % 7) for number in range(100)]))
    failed = weaklink(*asked, "--returns", bad)
    assert failed.exit_code == 1
    assert codes(json.loads(failed.stdout)) == {"TSK101"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["NoSuchThing-v0", *QUICK], "no environment NoSuchThing-v0"),
        (["no_such_module:make", *QUICK], "cannot import no_such_module"),
        (["worlds.py:Nothing", *QUICK], "no 'Nothing'"),
        (["", *QUICK], "ENV is empty"),
        (["worlds.py:Sound", "--seconds", "1"], "--seconds must be at least 2"),
        (["worlds.py:Sound", "--seconds", "nan"], "--seconds must be"),
        (["worlds.py:Sound", "--seconds", "inf"], "--seconds must be"),
        (["worlds.py"], "worlds.py:Sound"),
        (["worlds.py:Sound", "--steps", "10"], "--steps must be at least 100"),
        (["worlds.py:Sound", "--episodes", "0"], "--episodes must be at least 2"),
        (["worlds.py:Sound", "--seed", "-1"], "--seed must be at least 0"),
        (["worlds.py:Sound", "--seed", "99999999999999999999999"], "--seed must be"),
        (["worlds.py:Sound", "--total-steps", "-5"], "--total-steps must be"),
        (["worlds.py:Sound", "--arg", "length"], "--arg takes NAME=VALUE"),
        (["worlds.py:Sound", "--select", "OBX"], "OBX"),
        (["worlds.py:Sound", "--set", "REW102.share=much"], "must be a number"),
        (["worlds.py:Sound", "--config", "missing.yaml"], "missing.yaml"),
        (["worlds.py:Sound", "--returns", "missing.json"], "missing.json"),
        (["worlds.py:Sound", "-o", "no/such/folder/x.json"], "Make it first"),
        (["worlds.py:Sound", "--automaton", "worlds:nobody", *QUICK], "no 'nobody'"),
        (["worlds.py:Sound", "--automaton", "hold", *QUICK], "module:name"),
        (["worlds.py:Sound", "--policy", "model.zip"], "--trust-pickle"),
        (["worlds.py:Sound", "--policy", "model.zip", "--trust-pickle"], "--algorithm"),
        (["worlds.py:Sound", "--policy", "model.zip", "--trust-pickle", "--algorithm", "PPO"], "no file model.zip"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_two(worlds, options, told):
    result = weaklink(*options)
    assert result.exit_code == 2, result.stdout
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("weaklink: ")
    assert told in result.stderr


def test_a_zip_is_not_opened_without_trust(worlds):
    """Not even when the library is asked instead of the command."""
    from weaklink import preflight
    from weaklink.base.errors import UsageError

    with pytest.raises(UsageError, match="pickle"):
        preflight("worlds.py:Sound", isolate=False, policy="model.zip", policy_algorithm="PPO", seconds=3)


def test_in_a_process_of_its_own_a_crash_is_a_finding(worlds, monkeypatch):
    monkeypatch.setitem(sys.modules, "stable_baselines3", None)  # its checker would load torch
    done = weaklink("worlds.py:Falls", *UNHURRIED, "--steps", "100")
    assert done.exit_code == 1, done.stderr
    assert done.stdout.startswith("BROKEN  ")
    assert "\nENV111 " in done.stdout
    assert "the simulator is gone" in unwrapped(done.stdout)
    assert done.stderr == ""


def test_on_a_terminal_there_is_progress_and_a_narrow_one_is_respected(worlds):
    options = ("worlds.py:Sick", *UNHURRIED, "--steps", "100", "--episodes", "2", "--in-process", "--all")
    seen = on_a_terminal("preflight", *options, COLUMNS="50", PYTHONPATH=str(worlds))
    assert "\x1b[" in seen
    assert "steps" in seen
    assert "OBS101" in seen
    assert "Traceback" not in seen


def test_ascii_where_nothing_else_can_be_shown(worlds):
    options = ("worlds.py:Sick", *UNHURRIED, "--steps", "100", "--episodes", "2", "--in-process", "--all")
    done = call("preflight", *options, cwd=worlds, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1
    assert done.stdout.isascii()
    assert done.stdout.startswith("BROKEN  ")
    assert "observation" in done.stdout.splitlines()[2]


def test_an_interrupt_ends_it_and_leaves_what_was_found(worlds):
    command = [
        sys.executable,
        "-m",
        "weaklink",
        "preflight",
        "worlds.py:Tells",
        *UNHURRIED,
        "--steps",
        "10000000",
        "-f",
        "json",
    ]
    process = subprocess.Popen(command, cwd=worlds, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until((worlds / "played").exists)
    wait_for_turns(process.pid)
    process.send_signal(signal.SIGINT)
    shown, complaint = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"Traceback" not in complaint
    answer = json.loads(shown)
    assert answer["notes"] == ["Stopped at random play: later stages were not run."]
    assert "ENV101" in answer["clean"]


def test_hyper_parameters_are_read_from_a_file_of_any_name(tmp_path):
    file = tmp_path / "hp.json"
    file.write_text('{"algo": "PPO", "learning_rate": 0.0003, "gamma": 0.99, "clip_range_vf": 0.2, "ent_coef": 0.0}')
    options = ("--in-process", *UNHURRIED, "--steps", "100", "--episodes", "2", "--all", "-f", "json")
    answer = json.loads(weaklink("CartPole-v1", "--config", file, *options).stdout)
    assert "OPT101" in answer["clean"]
    assert {"VAL101", "EXP101"} <= {finding["code"] for finding in answer["findings"]}


def test_a_file_without_hyper_parameters_is_refused(tmp_path):
    file = tmp_path / "config.json"
    file.write_text("{}")
    done = call("preflight", "CartPole-v1", "--config", file)
    assert done.returncode == 2
    assert "holds no hyper-parameters" in unwrapped(done.stderr) or "config.json" in done.stderr
