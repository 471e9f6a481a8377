from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.cli.logs import call
from tests.cli.test_manners import on_a_terminal
from tests.cli.test_report import inside
from tests.probes.scripts import ACTOR_CRITIC
from tests.views.test_data import OF_A_FINDING, PROMISED
from weaklink.cli import app

ROOT = Path(__file__).parents[2]
TRAINERS = ROOT / "tests" / "trainers.py"
QUICK = ("--in-process", "--seeds", "1", "--steps", "600")
FEW = ("--only", "constant-reward", "--only", "two-actions", "--only", "terminal", "--actions", "discrete")

KERNELS = '''
import numpy as np


def discounted_returns(rewards, dones, gamma):
    """Right: nothing is taken over an end."""
    returns, following = np.zeros_like(rewards), 0.0
    for step in reversed(range(len(rewards))):
        following = rewards[step] + gamma * (1.0 - dones[step]) * following
        returns[step] = following
    return returns


def compute_gae(rewards, values, dones, last_value, gamma, lam):
    """Wrong: the mask of the next step is left out."""
    advantages, following = np.zeros_like(rewards), 0.0
    after = np.append(values[1:], last_value)
    for step in reversed(range(len(rewards))):
        error = rewards[step] + gamma * after[step] - values[step]
        following = error + gamma * lam * following
        advantages[step] = following
    return advantages
'''


def weaklink(*arguments):
    return CliRunner().invoke(app, ["probe", *map(str, arguments)])


def word(name: str) -> str:
    return f"{TRAINERS}:{name}"


@pytest.fixture(scope="module")
def sick():
    """A trainer whose policy is turned round, as data."""
    result = weaklink(word("sign_flipped"), *QUICK, *FEW[:4], "--only", "matching-action", "--format", "json")
    assert result.exit_code == 1, result.stderr
    assert result.stderr == ""
    return json.loads(result.stdout)


def test_json_keeps_its_contract(sick):
    assert list(sick)[: len(PROMISED)] == PROMISED
    assert (sick["command"], sick["target"], sick["verdict"]) == ("probe", word("sign_flipped"), "broken")
    assert sick["first_break"] == {"link": "policy", "code": "PRB104", "step": None}
    assert all(list(finding) == OF_A_FINDING for finding in sick["findings"])
    assert {"seconds", "stopped", "shows", "ladder", "left", "coverage", "notes", "unable"} <= set(sick)
    assert (sick["shows"], sick["stopped"], sick["unable"]) == (["value"], False, {})
    rung = sick["ladder"][0]
    assert set(rung) == {"code", "name", "environment", "verdict", "adds", "trials"}
    assert (rung["code"], rung["environment"]) == ("PRB101", "weaklink/ConstantReward-v0")
    assert set(rung["trials"][0]) == {
        "seed", "steps", "taken", "seconds", "gamma", "holds", "failure", "measures",
    }  # fmt: skip
    assert set(rung["trials"][0]["measures"][0]) == {"what", "where", "measured", "right", "low", "high"}


def test_later_rungs_follow_from_the_first(sick):
    assert [finding["code"] for finding in sick["findings"]] == ["PRB104", "PRB105"]
    assert sick["findings"][1]["consequence_of"] == "PRB104"


def test_a_right_trainer_passes():
    result = weaklink(word("right"), *QUICK, *FEW)
    assert result.exit_code == 0, result.stdout
    assert result.stdout.startswith("HEALTHY  all 3 rungs hold: no fault of the implementation shows\n")
    assert f"{word('right')} · 3 trainings · 1,800 steps" in " ".join(result.stdout.split())
    assert "gamma 0.9" in result.stdout
    for part in ("The ladder", "PRB104 TwoActions", "1/1"):
        assert part in result.stdout
    assert result.stderr == ""


def test_too_few_rungs_are_no_health():
    result = weaklink(word("right"), *QUICK, "--only", "ConstantReward")
    assert (result.exit_code, result.stdout[:9]) == (0, "UNCLEAR  ")


def test_a_sick_one_is_named_and_fails():
    result = weaklink(word("short_sighted"), *QUICK, "--actions", "discrete")
    assert result.exit_code == 1
    assert result.stdout.startswith("BROKEN  returns  PRB103 delayed-reward\n")
    assert "BROKEN" in result.stdout
    assert "TwoActions" not in result.stdout.partition("The ladder")[2].partition("Judged")[0]


def test_all_goes_on():
    options = ("--only", "delayed-reward", "--only", "two-actions", "--actions", "discrete", "-f", "json")
    stopped = json.loads(weaklink(word("short_sighted"), *QUICK, *options).stdout)
    whole = json.loads(weaklink(word("short_sighted"), *QUICK, *options, "--all").stdout)
    assert {rung["name"] for rung in stopped["ladder"]} == {"delayed-reward"}
    assert {rung["name"] for rung in whole["ladder"]} == {"delayed-reward", "two-actions"}


def test_a_trainer_that_raises_is_a_finding():
    result = weaklink(word("raises"), *QUICK)
    assert result.exit_code == 1
    assert result.stdout.startswith("BROKEN  system  PRB120 trainer-fails\n")
    assert "shapes (64,) and (64, 1) do not fit" in result.stdout


def test_markdown_into_a_file(tmp_path):
    file = tmp_path / "report.md"
    result = weaklink(word("no_discount"), *QUICK, "--only", "DelayedReward", "--format", "markdown", "-o", file)
    assert (result.exit_code, result.stdout) == (1, "")
    text = file.read_text(encoding="utf-8")
    assert text.startswith("## BROKEN: returns, PRB103 delayed-reward\n")
    assert "| PRB103 delayed-reward | `weaklink/DelayedReward-v0` | wrong |" in text


def test_a_page_into_a_file(tmp_path):
    file = tmp_path / "report.html"
    result = weaklink(word("no_discount"), *QUICK, "--only", "DelayedReward", "--format", "html", "-o", file)
    assert (result.exit_code, result.stdout) == (1, "")
    page = inside(file.read_text(encoding="utf-8"))["pages"][0]
    assert page["headline"].startswith("returns, PRB103")
    assert "ladder" in [section["id"] for section in page["sections"]]


@pytest.mark.parametrize(
    ("options", "code"), [(("--fail-on", "never"), 0), (("--fail-on", "error"), 1), (("--ignore", "PRB"), 0)]
)
def test_fail_on(options, code):
    result = weaklink(word("no_discount"), *QUICK, "--only", "DelayedReward", *options)
    assert result.exit_code == code, result.stdout


def test_the_discount_can_be_given():
    options = (word("silent"), *QUICK, "--only", "TwoActions", "--gamma", "0.5", "-f", "json")
    assert json.loads(weaklink(*options).stdout)["ladder"][0]["trials"][0]["gamma"] == 0.5


def test_seeds_and_steps_are_those_asked_for():
    options = (word("right"), "--in-process", "--seeds", "2", "--seed", "7", "--steps", "500", "-f", "json")
    (rung,) = json.loads(weaklink(*options, "--only", "TwoActions").stdout)["ladder"]
    assert [(trial["seed"], trial["steps"], trial["taken"]) for trial in rung["trials"]] == [
        (7, 500, 500),
        (8, 500, 500),
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "Give one of: a trainer such as sb3:PPO or module:train, --cmd COMMAND, --kernels MODULE; there is none"),
        (["a:b", "--cmd", "python x.py {env}"], "there are 2"),
        (["a:b", "--kernels", "x.py"], "there are 2"),
        ([" "], "there is none"),
        ([word("right"), "--config", "hp.json"], "--config hp.json is used with --as-configured"),
        (["sb3:PPO", "--as-configured"], "--as-configured needs --config FILE"),
        (["sb3:PPO", "--as-configured", "--config", "missing.json"], "missing.json"),
        (["--cmd", "python x.py {env}", "--as-configured", "--config", "x.json"], "for trainers given by name"),
        ([word("right"), "--only", "no-such-rung", *QUICK], "No rung is called 'no-such-rung'. Rungs: constant-reward"),
        ([word("right"), "--seeds", "0"], "--seeds must be between 1 and 1000"),
        ([word("right"), "--actions", "some"], "--actions is auto, discrete, continuous or both"),
        ([word("right"), "--against", "sb3:PPO"], "--against TRAINER and --env ENV go together"),
        ([word("nobody"), *QUICK], "no 'nobody'"),
        ([word("nobody"), "--workers", "1"], "no 'nobody'"),
        ([word("wrong_signature"), *QUICK], "cannot be called as train(make_env, steps, seed)"),
        (["no_such_module_at_all:train", *QUICK], "cannot import no_such_module_at_all"),
        (["train", *QUICK], "module:name or file.py:name"),
        ([word("right"), "--select", "PRX"], "PRX"),
        ([word("right"), *QUICK, "-o", "no/such/folder/x.json"], "Make it first"),
        (["--kernels", "missing.py"], "missing.py"),
        (["--cmd", "python train.py"], "{env}"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_two(options, told):
    result = weaklink(*options)
    assert result.exit_code == 2, result.stdout
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("weaklink: ")
    assert told in result.stderr


def test_hyper_parameters_are_not_for_functions(tmp_path):
    file = tmp_path / "hp.json"
    file.write_text('{"learning_rate": 0.1}')
    result = weaklink(word("right"), *QUICK, "--as-configured", "--config", file)
    assert result.exit_code == 2
    assert "has its own" in result.stderr


def test_kernels(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(KERNELS)
    result = weaklink("--kernels", file, "-f", "json")
    assert result.exit_code == 1, result.stderr
    document = json.loads(result.stdout)
    assert list(document)[: len(PROMISED)] == PROMISED
    assert {each["kernel"]: each["verdict"] for each in document["kernels"]} == {
        "discounted_returns": "right",
        "gae": "wrong",
    }
    assert {"kernel", "place", "verdict", "cases", "failing", "variant", "matched", "smallest", "fix"} <= set(
        document["kernels"][0]
    )
    assert document["unrecognised"] == []
    assert document["first_break"]["link"] == "returns"
    shown = weaklink("--kernels", file)
    assert shown.stdout.startswith("BROKEN  returns  PRB301 wrong-kernel\n")
    written = weaklink("--kernels", file, "-f", "markdown")
    assert written.stdout.startswith("## BROKEN: 1 of 2 kernels right\n")
    assert "| `gae` | WRONG |" in written.stdout


def test_a_script_as_a_black_box(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(ACTOR_CRITIC)
    command = f"{sys.executable} {script} --env-id {{env}} --total-timesteps {{steps}} --seed {{seed}}"
    options = ("--seeds", "1", "--steps", "1500", "--only", "TwoActions", "-f", "json", "--workers", "1")
    well = json.loads(weaklink("--cmd", command, *options).stdout)
    assert well["ladder"][0]["verdict"] == "right"
    assert "behaviour" in well["shows"]
    sick = weaklink("--cmd", f"{command} --policy-sign -1", *options)
    assert sick.exit_code == 1
    assert json.loads(sick.stdout)["first_break"]["code"] == "PRB104"


def test_in_processes_of_their_own_a_crash_is_a_finding():
    done = call("probe", "tests/trainers.py:exits", "--seeds", "2", "--workers", "2", cwd=ROOT)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("BROKEN  system  PRB120 trainer-fails\n")
    assert "exit code 7" in " ".join(done.stdout.split())
    assert done.stderr == ""


def test_on_a_terminal_there_is_progress_and_a_narrow_one_is_respected():
    seen = on_a_terminal("probe", word("sign_flipped"), *QUICK, "--only", "two-actions", COLUMNS="50")
    assert "\x1b[" in seen
    assert "PRB104" in seen
    assert "Traceback" not in seen


def test_ascii_where_nothing_else_can_be_shown():
    options = ("probe", word("sign_flipped"), *QUICK, "--only", "TwoActions")
    done = call(*options, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1
    assert done.stdout.isascii()
    assert done.stdout.startswith("BROKEN  policy  PRB104")


def test_an_interrupt_ends_it_and_leaves_what_was_found(tmp_path):
    pid_file = tmp_path / "pids"
    command = [sys.executable, "-m", "weaklink", "probe", word("hangs_once"), "--workers", "1", "-f", "json"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "WEAKLINK_TEST_PID": str(pid_file)},
    )
    deadline = time.monotonic() + 60.0
    while not pid_file.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    shown, complaint = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in complaint
    document = json.loads(shown)
    assert (document["stopped"], document["verdict"]) == (True, "unclear")
