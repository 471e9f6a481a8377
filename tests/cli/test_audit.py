from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.logs import call, call_here, invoke
from tests.cli.test_manners import on_a_terminal
from tests.samples.files import sums, written
from tests.show.made import HOSTILE
from tests.show.test_data import OF_A_FINDING, PROMISED
from tests.unwrapping import unwrapped

ROOT = Path(__file__).parents[2]

GRADERS = """
def substring(completion, answer):
    return 1.0 if str(answer) in completion else 0.0


def exact(completion, answer):
    return 1.0 if completion.strip() == str(answer) else 0.0
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    written(folder / "padded.jsonl", sums(padded=True))
    written(folder / "honest.jsonl", sums())
    (folder / "graders.py").write_text(GRADERS)
    before = os.getcwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)


def weaklink(*arguments):
    return invoke("audit", *arguments)


def codes(document) -> set[str]:
    return {finding["code"] for finding in document["findings"] if finding["level"] != "info"}


def test_json_keeps_its_contract(files):
    result = weaklink("padded.jsonl", "-f", "json")
    assert result.exit_code == 1, result.stderr
    document = json.loads(result.stdout)
    assert list(document)[: len(PROMISED)] == PROMISED
    assert (document["command"], document["target"], document["verdict"]) == ("audit", "padded.jsonl", "broken")
    assert all(list(finding) == OF_A_FINDING for finding in document["findings"])
    assert "LLM302" in codes(document)
    assert {"coverage", "wishes", "notes", "unable", "stopped", "samples", "tables", "verifier"} <= set(document)
    assert document["unable"] == {}
    assert document["samples"]["rows"] == 960
    assert len(document["samples"]["high_reward"]) >= 3
    assert document["tables"]["groups"]["usual"] == 8


def test_samples_always_stand_side_by_side(files):
    for name in ("padded.jsonl", "honest.jsonl"):
        text = weaklink(name, "-v").stdout
        assert "  high reward               low reward                at random\n" in text
    assert "| high reward | low reward | at random |" in weaklink("honest.jsonl", "-f", "markdown").stdout


def test_an_honest_training_passes(files):
    result = weaklink("honest.jsonl")
    assert result.exit_code == 0, result.stdout
    assert result.stdout.startswith("HEALTHY  ")
    assert result.stderr == ""


def test_markdown_into_a_file(files, tmp_path):
    file = tmp_path / "report.md"
    result = weaklink("padded.jsonl", "--format", "markdown", "-o", file)
    assert (result.exit_code, result.stdout) == (1, "")
    assert file.read_text(encoding="utf-8").startswith("## BROKEN: ")


@pytest.mark.parametrize(("options", "code"), [(("--fail-on", "never"), 0), (("--fail-on", "error"), 0), ((), 1)])
def test_fail_on(files, options, code):
    assert weaklink("padded.jsonl", "--select", "LLM302", *options).exit_code == code


def test_select_ignore_and_set(files):
    only = json.loads(weaklink("padded.jsonl", "-f", "json", "--select", "LLM302").stdout)
    assert codes(only) == {"LLM302"}
    assert only["coverage"]["asked"] == 1
    rest = json.loads(weaklink("padded.jsonl", "-f", "json", "--ignore", "LLM302").stdout)
    assert "LLM302" not in codes(rest) | set(rest["clean"]) | set(rest["blind"])
    higher = ("--set", "LLM303.limit=0.99", "--set", "LLM303.share=0.99", "--set", "LLM303.loops=0.99")
    lax = json.loads(weaklink("padded.jsonl", "-f", "json", "--select", "LLM303", *higher).stdout)
    assert lax["clean"] == ["LLM303"]


def test_a_log_and_a_baseline_beside_them(files):
    written(files / "before.jsonl", [row for row in sums(seed=9) if row["step"] == 0])
    log = [{"step": step, "reward": 0.3 + step / 400, "kl": 0.01, "loss": 0.0} for step in range(0, 200, 10)]
    (files / "trainer_state.json").write_text(json.dumps({"log_history": log, "global_step": 190}))
    result = weaklink("padded.jsonl", "--run", "trainer_state.json", "--baseline", "before.jsonl", "-f", "json")
    document = json.loads(result.stdout)
    assert result.exit_code == 1, result.stderr
    assert document["samples"]["baseline"] == {"name": "before.jsonl", "rows": 48}
    assert document["coverage"]["asked"] > 40


def test_a_verifier_alone_needs_no_samples(files):
    bad = weaklink("--verifier", "graders.py:substring", "-f", "json")
    document = json.loads(bad.stdout)
    assert bad.exit_code == 1, bad.stderr
    assert document["target"] == "graders.py:substring"
    assert "LLM314" in codes(document)
    assert document["samples"] is None
    assert document["verifier"]["kinds"]
    text = weaklink("--verifier", "graders.py:substring").stdout
    assert text.startswith("BROKEN  ")
    assert "\nLLM314 exploitable-verifier · reward · " in text


def test_samples_and_verifier_in_one_diagnosis(files):
    document = json.loads(weaklink("padded.jsonl", "--verifier", "graders.py:substring", "-f", "json").stdout)
    assert document["first_break"]["code"] == "LLM314"
    assert {"LLM302", "LLM314"} <= codes(document)


def test_cases_of_ones_own(files):
    cases = [{"prompt": f"Name number {number}.", "answer": f"word{number}"} for number in range(4)]
    written(files / "cases.jsonl", cases)
    done = weaklink("--verifier", "graders.py:substring", "--cases", "cases.jsonl", "--style", "plain", "-f", "json")
    document = json.loads(done.stdout)
    assert document["verifier"]["given"] is True
    assert document["verifier"]["asked"] == 4


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "Give SAMPLES"),
        (["missing.jsonl"], "missing.jsonl"),
        (["padded.jsonl", "--run", "missing"], "missing"),
        (["padded.jsonl", "--baseline", "missing.jsonl"], "missing.jsonl"),
        (["--run", "x", "--verifier", "graders.py:exact"], "give SAMPLES too"),
        (["padded.jsonl", "--cases", "x"], "add --verifier"),
        (["padded.jsonl", "--style", "trl"], "add --verifier"),
        (["--verifier", "graders.py:nothing"], "nothing"),
        (["--verifier", "no_such_module:fn"], "no_such_module"),
        (["--verifier", "graders.py:exact", "--cases", "missing.jsonl"], "missing.jsonl"),
        (["--verifier", "graders.py:exact", "--seconds", "0"], "--seconds must be"),
        (["padded.jsonl", "--seed", "-1"], "--seed must be at least 0"),
        (["padded.jsonl", "--select", "LLX"], "LLX"),
        (["padded.jsonl", "--set", "LLM302.factor=much"], "must be a number"),
        (["padded.jsonl", "-o", "no/such/folder/x.json"], "Make it first"),
        (["padded.jsonl", "-o", "padded.jsonl"], "would overwrite"),
        (["graders.py"], "graders.py"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_two(files, options, told):
    result = weaklink(*options)
    assert result.exit_code == 2, result.stdout
    assert result.stdout == ""
    assert result.stderr.startswith("weaklink: ")
    assert result.stderr.count("\n") == 1
    assert told in result.stderr


@pytest.mark.parametrize("content", ["", "not JSON at all\n", "[1, 2]\n", '{"loss": 0.1}\n'])
def test_a_file_without_samples(tmp_path, content):
    file = tmp_path / "odd.jsonl"
    file.write_text(content)
    result = weaklink(file)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "odd.jsonl" in result.stderr


@pytest.mark.parametrize("format", ["terminal", "json", "markdown"])
def test_hostile_texts_do_no_harm(tmp_path, format):
    nasty = HOSTILE + "<script>alert(1)</script>\u202e\x07\x00"
    rows = [
        {"completion": nasty, "prompt": nasty, "reward": 1.0, "rewards": {nasty: 1.0}, nasty: 1, "group": nasty},
        {"completion": "y" * 1_000_000, "reward": 0.0},
        {"completion": "\u05d0\u05d1\u05d2 " * 500, "reward": 0.5},
        {"completion": nasty, "reward": nasty},
    ]
    done = call_here("audit", written(tmp_path / "odd\x1b[31m.jsonl", rows), "-f", format, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1), done.stderr
    for character in "\x1b\u202e\x07\x00":
        assert character not in (done.stdout if format != "json" else done.stderr)
    assert len(done.stdout) < 100_000
    if format == "json":
        assert json.loads(done.stdout)["samples"]["faulty"] == 1


def test_progress_is_for_terminals_and_colour_too(files):
    seen = on_a_terminal("audit", str(files / "padded.jsonl"))
    assert "\x1b[" in seen
    assert "reading samples" in seen
    piped = call_here("audit", "padded.jsonl", cwd=files)
    assert piped.stderr == ""
    assert "\x1b" not in piped.stdout


def test_ctrl_c_keeps_what_was_read_so_far(files):
    script = (
        "import os, signal, sys, weaklink.verbs.audit as module\n"
        "first = module._RowWatch.rows\n"
        "def rows(self, given, stage):\n"
        "    for count, sample in enumerate(first(self, given, stage)):\n"
        "        if count == 500: os.kill(os.getpid(), signal.SIGINT)\n"
        "        yield sample\n"
        "module._RowWatch.rows = rows\n"
        "from weaklink.cli import main\n"
        "sys.argv = ['weaklink', 'audit', 'long.jsonl', '-f', 'json']\n"
        "main()\n"
    )
    written(files / "long.jsonl", sums(steps=60))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=files)
    assert done.returncode == 130, done.stderr
    assert "stopped" in done.stderr
    assert "Traceback" not in done.stderr
    document = json.loads(done.stdout)
    assert document["stopped"] is True
    assert document["samples"]["rows"] == 1000
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_help_is_there_and_loads_nothing():
    done = call("audit", "--help")
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: weaklink audit [OPTIONS] [SAMPLES]")


def test_the_samples_of_the_readme_are_found_broken():
    done = call_here("audit", "examples/broken_samples.jsonl", cwd=ROOT)
    assert done.returncode == 1
    for page in ("README.md", "docs/audit.md"):
        told = (ROOT / page).read_text(encoding="utf-8")
        for line in done.stdout.splitlines()[:5]:
            assert line in told


def test_the_verifier_of_the_docs_is_found_broken():
    done = call_here("audit", "--verifier", "examples/leaky_verifier.py:reward", cwd=ROOT)
    assert done.returncode == 1
    assert done.stdout.startswith("BROKEN  ")
    assert "\nLLM314 exploitable-verifier · reward · " in done.stdout
    assert done.stdout.splitlines()[0] in (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")


def test_a_number_of_thousands_of_digits_is_bad_input_and_no_fault_of_ours(tmp_path):
    file = tmp_path / "samples.jsonl"
    file.write_text('{"completion": "a", "reward": ' + "9" * 6000 + "}\n")
    result = call_here("audit", file, cwd=tmp_path)
    assert result.returncode == 2
    assert "no number of thousands of digits" in unwrapped(result.stderr)
