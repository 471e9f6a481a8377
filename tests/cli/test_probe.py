from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

from tests.cli.logs import call, invoke
from tests.cli.test_manners import on_a_terminal
from tests.cli.test_report import inside
from tests.patience import PATIENCE
from tests.probes.scripts import ACTOR_CRITIC, BY_ARGPARSE, CRASHES
from tests.show.test_data import OF_A_FINDING, PROMISED
from tests.unwrapping import unwrapped
from weaklink.collect.probes.kernels import check_module
from weaklink.verbs.against import AgainstOptions

ROOT = Path(__file__).parents[2]
TRAINERS = ROOT / "tests" / "trainers.py"
QUICK = ("--in-process", "--seeds", "1", "--steps", "600")
CONTENDERS = ROOT / "tests" / "probes" / "contenders.py"
AGAINST = (f"{CONTENDERS}:learner", "--against", f"{CONTENDERS}:guesser", "--env", f"{CONTENDERS}:Signals")
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
    return invoke("probe", *arguments)


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
    assert f"{word('right')} · 3 trainings · 1,800 steps" in unwrapped(result.stdout)
    assert "gamma 0.9" in unwrapped(result.stdout)
    for part in ("The ladder", "PRB104 TwoActions", "1/1"):
        assert part in result.stdout
    assert result.stderr == ""


def test_too_few_rungs_are_no_health():
    result = weaklink(word("right"), *QUICK, "--only", "ConstantReward")
    assert (result.exit_code, result.stdout[:9]) == (0, "UNCLEAR  ")


def test_a_sick_one_is_named_and_fails():
    result = weaklink(word("short_sighted"), *QUICK, "--actions", "discrete")
    assert result.exit_code == 1
    assert result.stdout.startswith("BROKEN  ")
    assert "\nPRB103 delayed-reward · returns · " in result.stdout
    assert "BROKEN" in result.stdout
    assert "TwoActions" not in result.stdout


def test_all_goes_on():
    options = ("--only", "delayed-reward", "--only", "two-actions", "--actions", "discrete", "-f", "json")
    stopped = json.loads(weaklink(word("short_sighted"), *QUICK, *options).stdout)
    whole = json.loads(weaklink(word("short_sighted"), *QUICK, *options, "--all").stdout)
    assert {rung["name"] for rung in stopped["ladder"]} == {"delayed-reward"}
    assert {rung["name"] for rung in whole["ladder"]} == {"delayed-reward", "two-actions"}


def test_a_trainer_that_raises_is_a_finding():
    result = weaklink(word("raises"), *QUICK)
    assert result.exit_code == 1
    assert result.stdout.startswith("BROKEN  ")
    assert "\nPRB120 trainer-fails · system · " in result.stdout
    assert "shapes (64,) and (64, 1) do not fit" in unwrapped(result.stdout)


def test_markdown_into_a_file(tmp_path):
    file = tmp_path / "report.md"
    result = weaklink(word("no_discount"), *QUICK, "--only", "DelayedReward", "--format", "markdown", "-o", file)
    assert (result.exit_code, result.stdout) == (1, "")
    text = file.read_text(encoding="utf-8")
    assert text.startswith("## BROKEN: returns, PRB103 delayed-reward\n")
    assert "| PRB103 DelayedReward | `weaklink/DelayedReward-v0` | BROKEN |" in text


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
        ([word("right"), "--only", "no-such-rung", *QUICK], "No rung is called 'no-such-rung'. Rungs: read-update"),
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
        (
            [*AGAINST, "--only", "two-actions"],
            "--only goes with TRAINER or SCRIPT.py or --cmd, not with TRAINER --against",
        ),
        ([*AGAINST, "--all"], "--all goes with"),
        ([*AGAINST, "--actions", "discrete"], "--actions goes with"),
        ([*AGAINST, "--gamma", "1.5"], "--gamma must lie between 0 and 1"),
        ([*AGAINST, "--timeout", "0.5"], "--timeout must be between 1 and"),
        ([*AGAINST, "--steps", "-1"], "--steps must be at least 0"),
        (["--kernels", "x.py", *AGAINST[1:]], "--against goes with TRAINER --against, not with --kernels"),
        (
            ["--kernels", "x.py", "--env", "CartPole-v1"],
            "--env goes with TRAINER --against, not with --kernels: leave it out",
        ),
        (["--kernels", "x.py", "--only", "two-actions"], "--only goes with"),
        (
            ["--kernels", "x.py", "--steps", "5"],
            "--steps goes with TRAINER or SCRIPT.py or --cmd or TRAINER --against, not",
        ),
        (["--cmd", "python x.py {env}", "--in-process"], "--in-process goes with TRAINER or TRAINER --against, not"),
        (["--cmd", "python x.py {env}", *AGAINST[1:]], "--against goes with TRAINER --against, not with --cmd"),
        ([word("right"), "--recurrent"], "--recurrent goes with SCRIPT.py or --cmd, not with TRAINER"),
        ([word("right"), "--env", "CartPole-v1"], "--against TRAINER and --env ENV go together"),
        (["no_such_script.py", "--lr", "0.1"], "There is no script no_such_script.py"),
        (["train.py", "--config", "x.yaml", "--as-configured"], "put it after -- where it is the script's own"),
        ([word("right"), "--seconds", "-1"], "--seconds must be between 0 and"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_two(options, told):
    result = weaklink(*options)
    assert result.exit_code == 2, result.stdout
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("weaklink: ")
    assert told in result.stderr


@pytest.mark.parametrize("options", [["sb3:PPO", "--sedes", "3"], ["--sedes", "3"], ["sb3:PPO", "train.py"]])
def test_words_of_a_script_are_refused_where_there_is_none(options):
    result = weaklink(*options)
    assert result.exit_code == 2
    assert "No such" in result.stderr


def test_a_script_is_probed_by_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(BY_ARGPARSE)
    result = weaklink("train.py", "--rate", "-0.3", "--only", "TwoActions", "--steps", "300", "-f", "json")
    assert result.exit_code == 1, result.stderr
    assert "each training runs: " in result.stderr
    assert "--rate -0.3 --env-id '{env}' --total-timesteps '{steps}' --seed '{seed}'" in result.stderr
    told = json.loads(result.stdout)
    (rung,) = told["ladder"]
    assert (rung["code"], rung["verdict"]) == ("PRB104", "wrong")
    assert len({trial["seed"] for trial in rung["trials"]}) == 3  # two more seeds before it is called broken
    assert told["findings"][0]["verify"] == "weaklink probe train.py --steps 300 --only TwoActions -- --rate -0.3"
    assert [entry.name for entry in tmp_path.iterdir()] == ["train.py"]


def test_against_tells_the_discount_to_those_that_take_one(tmp_path):
    file = tmp_path / "hp.json"
    file.write_text('{"discount": 0.95, "rate": 0.3}')
    result = weaklink(*AGAINST, *QUICK, "--gamma", "0.8", "--config", file, "-f", "json")
    document = json.loads(result.stdout)
    assert document["reference"]["settings"] == {"gamma": "0.8"}
    assert document["trainer"]["settings"] == {"rate": "0.3"}
    assert any("takes no gamma" in note for note in document["notes"])


def test_against_a_hang_fails_within_the_time_that_was_given():
    began = time.monotonic()
    hanging = f"{CONTENDERS}:hangs"
    result = weaklink(
        hanging, "--against", AGAINST[0], *AGAINST[3:], "--seeds", "1", "--steps", "100", "--timeout", "6"
    )
    assert result.exit_code == 1, result.stderr
    assert "no end within 6 seconds" in unwrapped(result.stdout)
    assert time.monotonic() - began < PATIENCE


@pytest.mark.parametrize(("timeout", "seconds"), [(None, 1800.0), (300.0, 300.0)])
def test_against_has_more_time_only_where_none_was_given(timeout, seconds):
    options = AgainstOptions(trainer="a", reference="b", environment="c", timeout=timeout)
    assert options.patience == seconds


def test_hyper_parameters_are_not_for_functions(tmp_path):
    file = tmp_path / "hp.json"
    file.write_text('{"learning_rate": 0.1}')
    result = weaklink(word("right"), *QUICK, "--as-configured", "--config", file)
    assert result.exit_code == 2
    assert "has its own" in unwrapped(result.stderr)


def test_kernels(tmp_path, monkeypatch):
    monkeypatch.setattr("weaklink.verbs.kernels.check_module", cache(check_module))  # once for all three views
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
    assert shown.stdout.startswith("BROKEN  ")
    assert "\nPRB301 wrong-kernel · returns · " in shown.stdout
    written = weaklink("--kernels", file, "-f", "markdown")
    assert written.stdout.startswith("## BROKEN: returns, PRB301 wrong-kernel\n")
    assert re.search(r"\| `gae` \| `[^`]*` \| WRONG \|", unwrapped(written.stdout))


def test_what_a_module_and_its_kernels_print_is_no_part_of_the_answer(tmp_path):
    file = tmp_path / "talking_kernels.py"
    talking = KERNELS.replace("    returns, following", "    print('called')\n    returns, following")
    file.write_text(f"{talking}\nprint('loaded')\n")
    result = weaklink("--kernels", file, "-f", "json")
    assert len(json.loads(result.stdout)["kernels"]) == 2
    assert {"loaded", "called"} <= set(result.stderr.split())


@pytest.mark.parametrize("options", [("--kernels", "{file}"), ("{file}:train", *QUICK)])
@pytest.mark.parametrize(("content", "told"), [("1 / 0", "ZeroDivisionError"), ("raise SystemExit(0)", "sys.exit(0)")])
def test_a_module_that_cannot_be_loaded_is_wrong_use(tmp_path, options, content, told):
    file = tmp_path / "cannot_be_loaded.py"
    file.write_text(f"{content}\n")
    result = weaklink(*(option.format(file=file) for option in options))
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert told in result.stderr
    assert f"({file}:1)" in result.stderr


def test_a_trainer_that_exits_is_told_as_one_that_fails(tmp_path):
    file = tmp_path / "exits_within.py"
    file.write_text("import sys\n\ndef train(make_env, steps, seed):\n    sys.exit(0)\n")
    result = weaklink(f"{file}:train", *QUICK, *FEW)
    assert result.exit_code == 1, result.stderr
    assert "PRB120" in result.stdout
    assert "SystemExit: 0" in unwrapped(result.stdout)


def test_a_script_as_a_black_box(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(ACTOR_CRITIC)
    python = shlex.join([sys.executable, str(script)])
    command = f"{python} --env-id {{env}} --total-timesteps {{steps}} --seed {{seed}}"
    options = ("--seeds", "1", "--steps", "1000", "--only", "TwoActions", "-f", "json", "--workers", "1")
    well = json.loads(weaklink("--cmd", command, *options).stdout)
    assert well["ladder"][0]["verdict"] == "right"
    assert "behaviour" in well["shows"]
    sick = weaklink("--cmd", f"{command} --policy-sign -1", *options)
    assert sick.exit_code == 1
    assert json.loads(sick.stdout)["first_break"]["code"] == "PRB104"


def test_the_proof_of_a_command_with_quotes_can_be_given_to_a_shell(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(CRASHES)
    command = f'"{sys.executable}" "{script}" {{env}} {{steps}} "a name"'
    options = ("--seeds", "1", "--steps", "600", "--only", "TwoActions", "-f", "json", "--workers", "1")
    [finding, *_] = json.loads(weaklink("--cmd", command, *options).stdout)["findings"]
    assert shlex.split(finding["verify"])[:4] == ["weaklink", "probe", "--cmd", command]


def test_the_proof_trains_in_the_same_way(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(CRASHES)
    command = ("--cmd", f"{shlex.join([sys.executable, str(script)])} {{env}} {{steps}}", "--recurrent")
    options = ("--seeds", "1", "--seed", "7", "--steps", "1000000", "--gamma", "0.95", "--timeout", "60.0")
    [finding, *_] = json.loads(weaklink(*command, *options, "--only", "TwoActions", "-f", "json").stdout)["findings"]
    proof = shlex.split(finding["verify"])
    assert proof == ["weaklink", "probe", *command[:2], *options, "--recurrent", "--only", "TwoActions"]
    again = weaklink(*proof[2:], "-f", "json")
    assert json.loads(again.stdout)["findings"][0]["message"] == finding["message"]


@pytest.mark.parametrize("format", ["json", "markdown"])
def test_what_a_trainer_prints_in_this_process_is_no_part_of_the_answer(tmp_path, format):
    file = tmp_path / "chatty.py"
    file.write_text("def train(make_env, steps, seed):\n    print('step', steps)\n    raise ValueError('enough')\n")
    result = weaklink(f"{file}:train", *QUICK, *FEW, "-f", format)
    assert "step " in result.stderr
    assert "step 600" not in unwrapped(result.stdout)
    assert "PRB120" in result.stdout


def test_a_class_that_cannot_be_made_is_wrong_use(tmp_path):
    file = tmp_path / "classy.py"
    file.write_text("class Trainer:\n    def __init__(self, rate):\n        self.rate = rate\n")
    for options in ((), ("--in-process",)):
        result = weaklink(f"{file}:Trainer", *options)
        assert result.exit_code == 2
        assert "making one without arguments failed: TypeError" in unwrapped(result.stderr)
        assert "Traceback" not in result.stderr


def test_in_processes_of_their_own_a_crash_is_a_finding():
    done = call("probe", "tests/trainers.py:exits", "--seeds", "1", "--workers", "1", cwd=ROOT)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("BROKEN  ")
    assert "\nPRB120 trainer-fails · system · " in done.stdout
    assert "exit code 7" in unwrapped(done.stdout)
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
    assert done.stdout.startswith("BROKEN  ")
    assert "\nPRB104 " in done.stdout


def test_an_interrupt_ends_it_and_leaves_what_was_found(tmp_path):
    pid_file = tmp_path / "pids"
    command = [sys.executable, "-m", "weaklink", "probe", word("hangs_once"), "--workers", "1", "-f", "json"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "WEAKLINK_TEST_PID": str(pid_file)},
    )
    deadline = time.monotonic() + PATIENCE
    while not pid_file.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    shown, complaint = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"Traceback" not in complaint
    document = json.loads(shown)
    assert (document["stopped"], document["verdict"]) == (True, "unclear")
