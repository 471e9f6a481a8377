"""What is loaded when: a framework never, numpy not before it is needed, rich only for a person's eyes."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module

import pytest

from tests.cli.logs import healthy_log, sick_log
from tests.test_architecture import FRAMEWORKS, PACKAGE, module_of
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.patterns import LatePattern
from weaklink.judge.rules._registry import load_rules_on

LIST = "import sys; print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
CALL = "from weaklink.cli import main\nimport sys\nsys.argv = {argv}\ntry:\n    main()\nexcept SystemExit:\n    pass\n"


def loaded_by(code: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", f"{code}\n{LIST}"], capture_output=True, text=True, check=True)
    return set(done.stderr.splitlines()[-1].split())


def test_importing_the_package_loads_next_to_nothing():
    modules = loaded_by("import weaklink")
    assert not modules & ({"numpy", "msgspec", "typer", "rich"} | FRAMEWORKS)


@pytest.mark.parametrize(
    "argv",
    [
        ["weaklink", "--help"],
        ["weaklink", "--version"],
        ["weaklink", "diagnose", "--help"],
        ["weaklink", "probe", "--help"],
        ["weaklink", "watch", "--help"],
    ],
)
def test_help_loads_neither_numbers_nor_rules(argv):
    modules = loaded_by(CALL.format(argv=argv))
    assert "typer" in modules
    assert not modules & ({"numpy", "msgspec", "rich"} | FRAMEWORKS)


@pytest.mark.parametrize("room", ["judge.rules", "collect.probes", "collect.survey"])
def test_help_imports_no_rule_and_nothing_that_trains(room):
    code = CALL.format(argv=["weaklink", "--help"])
    rules = f"print([name for name in sys.modules if name.startswith('weaklink.{room}')], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{rules}"], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize("format", ["terminal", "json", "markdown"])
def test_a_diagnosis_in_a_pipe_loads_no_rich_and_no_framework(format, tmp_path):
    modules = loaded_by(CALL.format(argv=["weaklink", "diagnose", str(sick_log(tmp_path)), "-f", format]))
    assert "numpy" in modules
    assert not modules & ({"rich"} | FRAMEWORKS)


@pytest.mark.parametrize(("log", "format"), [(healthy_log, "terminal"), (healthy_log, "markdown"), (sick_log, "json")])
def test_a_diagnosis_loads_no_masked_arrays_and_no_classes_of_rollouts(log, format, tmp_path):
    """numpy's own median would: they take a quarter as long again as the whole diagnosis."""
    code = CALL.format(argv=["weaklink", "diagnose", str(log(tmp_path)), "-f", format])
    names = ("numpy.ma", "weaklink.base.evidence.rollout", "numpy")
    listed = f"print(*(name in sys.modules for name in {names}), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{listed}"], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "False False True"


def test_a_diagnosis_of_one_log_loads_no_fleet_no_recording_and_no_rule_that_lacks_what_it_needs(tmp_path):
    code = CALL.format(argv=["weaklink", "diagnose", str(healthy_log(tmp_path))])
    listed = "print(*(name for name in sys.modules if name.startswith('weaklink')), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{listed}"], capture_output=True, text=True, check=True)
    modules = set(done.stderr.splitlines()[-1].split())
    assert "weaklink.judge.rules.reward.reward_flat" in modules
    assert not modules & {
        "weaklink.verbs.fleet.cache", "weaklink.collect.readers.recording", "weaklink.base.privacy",
        "weaklink.base.evidence.samples",
    }  # fmt: skip
    asked = [name for name in modules if name.startswith("weaklink.judge.rules.") and name.count(".") == 4]
    assert len(asked) < 0.8 * len(load_rules_on(Run, Config))


def test_a_diagnosis_on_a_terminal_loads_nothing_for_pages_or_live_trainings(tmp_path):
    code = CALL.format(argv=["weaklink", "diagnose", str(sick_log(tmp_path))])
    listed = "print(*(name for name in sys.modules if name.startswith('weaklink')), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{listed}"], capture_output=True, text=True, check=True)
    modules = set(done.stderr.splitlines()[-1].split())
    assert "weaklink.show.subjects.run" in modules
    assert not modules & {
        "weaklink.base.evidence.rollout", "weaklink.show.subjects.run_page", "weaklink.show.redaction",
    }  # fmt: skip


def test_every_pattern_that_is_compiled_late_can_be_compiled():
    files = [file for file in PACKAGE.rglob("*.py") if "compile_late(" in file.read_text(encoding="utf-8")]
    made = [value for file in files for value in vars(import_module(module_of(file))).values()]
    late = [value for value in made if isinstance(value, LatePattern)]
    assert len(late) >= 40
    assert all(pattern.pattern == re.compile(*pattern._given).pattern for pattern in late)
