from __future__ import annotations

import json

import pytest

from tests.cli.logs import call, healthy_log, invoke, sick_log
from tests.unwrapping import unwrapped


def weaklink(*arguments, stdin=None):
    return invoke("diagnose", *arguments, text=stdin)


def test_a_sick_run_is_named_and_fails(tmp_path):
    result = weaklink(sick_log(tmp_path))
    assert result.exit_code == 1
    assert result.stdout.startswith("BROKEN  ")
    assert " · policy · " in result.stdout
    assert result.stderr == ""


def test_a_healthy_run_passes(tmp_path):
    result = weaklink(healthy_log(tmp_path))
    assert result.stdout.startswith("HEALTHY  "), result.stdout
    assert result.exit_code == 0


def test_a_run_folder_is_as_good_as_its_file(tmp_path):
    sick_log(tmp_path / "run")
    assert weaklink(tmp_path / "run").stdout.startswith("BROKEN  ")
    assert " · policy · " in weaklink(tmp_path / "run").stdout


@pytest.mark.parametrize(("level", "code"), [("info", 1), ("warn", 1), ("never", 0)])
def test_fail_on(tmp_path, level, code):
    assert weaklink(sick_log(tmp_path), "--fail-on", level).exit_code == code


def test_json_is_one_document_a_line(tmp_path):
    result = weaklink(sick_log(tmp_path / "a"), healthy_log(tmp_path / "b"), "-f", "json")
    sick, healthy = map(json.loads, result.stdout.splitlines())
    assert (sick["verdict"], healthy["verdict"]) == ("broken", "healthy")
    assert sick["first_break"]["link"] == "policy"
    assert sick["unknown_keys"] == ["custom/thing"]
    assert result.exit_code == 1


def test_markdown(tmp_path):
    assert weaklink(sick_log(tmp_path), "--format", "markdown").stdout.startswith("## BROKEN: policy, ")


def test_select_ignore_and_set(tmp_path):
    log = sick_log(tmp_path)
    only = json.loads(weaklink(log, "-f", "json", "--select", "POL301,VAL301").stdout)
    assert [finding["code"] for finding in only["findings"]] == ["POL301"]
    assert only["coverage"] == {"judged": 2, "asked": 2}
    without = json.loads(weaklink(log, "-f", "json", "--select", "POL", "--ignore", "POL301").stdout)
    assert "POL301" not in [finding["code"] for finding in without["findings"]]
    lax = json.loads(weaklink(log, "-f", "json", "--select", "POL301", "--set", "POL301.lasting=0.95").stdout)
    assert lax["clean"] == ["POL301"]


def test_a_symptom_is_the_start(tmp_path):
    assert "You see: reward flat" in weaklink(sick_log(tmp_path), "--symptom", "reward flat").stdout


@pytest.mark.parametrize(
    ("options", "cure"),
    [
        (["--select", "POL39"], "Did you mean"),
        (["--set", "POL301.lasting"], "CODE.name=value"),
        (["--set", "POL301.wrong=1"], "its settings are"),
        (["--set", "POL301.lasting=high"], "must be a number"),
        (["--set", "POL301.lasting=nan"], "must be a number"),
        (["--set", "POL301.lasting=inf"], "must be a number"),
        (["--select", ""], "--select takes"),
        (["--ignore", ","], "--ignore takes"),
        ([""], "A path is empty"),
        (["--symptom", "purple"], "Known are"),
        (["-o", "no/such/folder/x.json"], "Make it first"),
    ],
)
def test_misuse_exits_with_two_and_a_cure(tmp_path, options, cure):
    result = weaklink(sick_log(tmp_path), *options)
    assert result.exit_code == 2
    assert result.stderr.startswith("weaklink: ")
    assert cure in result.stderr
    assert result.stdout == ""


def test_an_unknown_option_exits_with_two(tmp_path):
    assert weaklink(tmp_path, "--nonsense").exit_code == 2
    assert weaklink().exit_code == 2


@pytest.mark.parametrize("make", ["missing", "empty folder", "empty file", "garbage"])
def test_bad_input_exits_with_two_and_says_why(tmp_path, make):
    target = tmp_path / "target"
    if make == "empty folder":
        target.mkdir()
    elif make == "empty file":
        target.touch()
    elif make == "garbage":
        target.write_bytes(bytes(range(256)) * 8)
    result = weaklink(target)
    assert result.exit_code == 2
    assert result.stderr.startswith("weaklink: ")
    assert "target" in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_an_unreadable_target_is_an_error_in_json(tmp_path):
    result = weaklink(tmp_path / "missing", "-f", "json")
    assert result.exit_code == 2
    assert set(json.loads(result.stdout)) == {"weaklink", "schema", "command", "target", "error"}


def test_a_tree_of_runs_gives_a_table(tmp_path):
    sick_log(tmp_path / "ppo" / "1")
    healthy_log(tmp_path / "ppo" / "2")
    result = weaklink(tmp_path)
    assert result.stdout.startswith("2 runs: 1 broken, 1 healthy")
    assert result.exit_code == 1


def test_runs_that_cannot_be_compared_are_told_as_a_whole(tmp_path):
    for number, temperature in enumerate((0.0, 1.0)):
        healthy_log(tmp_path / str(number))
        config = {"algo": "ppo", "env": "CartPole-v1", "seed": number, "eval_temperature": temperature}
        (tmp_path / str(number) / "config.json").write_text(json.dumps(config))
    result = weaklink(tmp_path)
    assert "The runs taken together" in unwrapped(result.stdout)
    assert "EVA302 protocol-drift" in unwrapped(result.stdout)
    assert result.exit_code == 1
    lines = [json.loads(line) for line in weaklink(tmp_path, "-f", "json").stdout.splitlines()]
    assert [line.get("runs") for line in lines] == [None, None, 2]
    assert "### EVA302" in weaklink(tmp_path, "-f", "markdown").stdout


def test_one_bad_run_never_hides_the_others(tmp_path):
    healthy = healthy_log(tmp_path / "a")
    missing = tmp_path / "b"
    result = weaklink(missing, healthy)
    assert "2 runs: 1 healthy, 1 unreadable" in unwrapped(result.stdout)
    assert "weaklink: " in result.stderr
    assert result.exit_code == 2
    assert weaklink(missing, healthy, sick_log(tmp_path / "c")).exit_code == 1
    assert weaklink(missing, sick_log(tmp_path / "c"), "--fail-on", "never").exit_code == 2


def test_a_fleet_as_markdown(tmp_path):
    sick_log(tmp_path / "1")
    healthy_log(tmp_path / "2")
    text = weaklink(tmp_path, "-f", "markdown").stdout
    assert "| `1" in text
    assert "### BROKEN: policy" in text


def test_the_result_goes_into_a_file(tmp_path):
    report = tmp_path / "report.txt"
    result = weaklink(sick_log(tmp_path / "run"), "-o", report)
    assert result.stdout == ""
    assert result.exit_code == 1
    assert report.read_text(encoding="utf-8").startswith("BROKEN  ")
    assert " · policy · " in report.read_text(encoding="utf-8")


@pytest.mark.parametrize("named", ["file", "folder", "link", "config"])
def test_the_result_never_goes_over_a_log(tmp_path, named):
    log = sick_log(tmp_path / "run")
    output = log
    if named == "link":
        output = tmp_path / "other.csv"
        output.symlink_to(log)
    if named == "config":
        output = tmp_path / "run" / "config.json"
        output.write_text('{"lr": 0.1}')
    before = output.read_bytes()
    result = weaklink(log if named == "file" else tmp_path / "run", "-o", output)
    assert result.exit_code == 2
    assert "would be lost" in unwrapped(result.stderr)
    assert output.read_bytes() == before


def test_a_report_beside_the_logs_can_be_written_again(tmp_path):
    sick_log(tmp_path)
    for _ in range(2):
        assert weaklink(tmp_path, "-o", tmp_path / "report.md", "-f", "markdown").exit_code == 1


def test_standard_input(tmp_path):
    result = weaklink("-", stdin=sick_log(tmp_path).read_text())
    assert "standard input" in unwrapped(result.stdout)
    assert result.exit_code in (0, 1)


def test_nothing_on_standard_input():
    result = weaklink("-", stdin="")
    assert result.exit_code == 2
    assert "weaklink diagnose - <" in unwrapped(result.stderr)


def test_python_dash_m(tmp_path):
    done = call("diagnose", sick_log(tmp_path))
    assert done.returncode == 1
    assert done.stdout.startswith("BROKEN  ")
    assert " · policy · " in done.stdout
    assert done.stderr == ""


def test_what_a_script_logged_on_a_probe_is_skipped_beside_its_own_runs(tmp_path):
    healthy_log(tmp_path / "runs" / "CartPole-v1__train__1")
    sick_log(tmp_path / "runs" / "weaklink" / "TwoActions-v0__train__1")
    result = weaklink(tmp_path / "runs")
    assert result.stdout.startswith("HEALTHY  "), result.stdout
    probed = weaklink(tmp_path / "runs" / "weaklink" / "TwoActions-v0__train__1")
    assert "· policy ·" in probed.stdout.splitlines()[2]
