"""Modules of the user's that fail, exit, read arguments or print while they are loaded."""

from __future__ import annotations

import sys

import pytest

from weaklink.base.errors import UsageError
from weaklink.base.outside.named import load_module, suggest_names

ARGUMENTS = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--lr', default=0.1)\n"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Writes a module and gives its file."""
    monkeypatch.setattr(sys, "path", [*sys.path])

    def written(content: str, name: str = "loaded_by_a_test.py") -> str:
        (tmp_path / name).write_text(content)
        return str(tmp_path / name)

    yield written
    sys.modules.pop("loaded_by_a_test", None)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("\nraise RuntimeError('not\\ntoday.')\n", r"failed: RuntimeError: not today \(.*loaded_by_a_test.py:2\)"),
        ("raise KeyError\n", r"failed: KeyError \(.*loaded_by_a_test.py:1\)"),
        ("x = 1\ndef train(:\n", r"failed: SyntaxError: .* \(.*loaded_by_a_test.py:2\)"),
        ("import json\njson.loads('no')\n", r"failed: JSONDecodeError: .* \(.*loaded_by_a_test.py:2\)"),
        ("import sys\nsys.exit(0)\n", r"it called sys\.exit\(0\) \(.*loaded_by_a_test.py:2\)"),
        ("import sys\nsys.exit('no licence')\n", r"it called sys\.exit\('no licence'\)"),
        (
            f"{ARGUMENTS}parser.add_argument('data')\nparser.parse_args()\n",
            r"sys\.exit\(2\) \(.*loaded_by_a_test.py:5\)",
        ),
    ],
)
def test_code_that_fails_or_exits_is_told_with_its_place_and_cure(module, content, told):
    with pytest.raises(UsageError, match=told) as raised:
        load_module(module(content), "The trainer")
    assert str(raised.value).startswith("Loading ")
    assert "The trainer must come from a module that can be imported" in str(raised.value)
    assert "if __name__ == '__main__'" in str(raised.value)
    assert raised.value.__cause__ is not None, "who calls from Python sees the whole traceback"


def test_a_module_by_its_name_is_told_the_same_way(module, monkeypatch, tmp_path):
    module("import sys\nsys.exit(0)\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"Loading loaded_by_a_test would have ended the whole process"):
        load_module("loaded_by_a_test", "The trainer")


def test_our_arguments_are_not_those_of_the_module(module, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["weaklink", "probe", "--kernels", "x.py"])
    file = module(f"{ARGUMENTS}lr = parser.parse_args().lr\nimport sys\nseen = sys.argv\n")
    found = load_module(file, "Kernels")
    assert (found.lr, found.seen) == (0.1, [file])
    assert sys.argv == ["weaklink", "probe", "--kernels", "x.py"]


def test_arguments_and_output_are_put_back_after_a_failure(module, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["weaklink"])
    before = sys.stdout
    with pytest.raises(UsageError):
        load_module(module("1 / 0\n"), "Kernels")
    assert sys.argv == ["weaklink"]
    assert sys.stdout is before


def test_what_a_module_prints_goes_to_standard_error(module, capsys):
    load_module(module("print('hello')\n"), "Kernels")
    assert capsys.readouterr() == ("", "hello\n")


def test_an_interruption_is_none_of_the_modules_failures(module):
    with pytest.raises(KeyboardInterrupt):
        load_module(module("raise KeyboardInterrupt\n"), "Kernels")


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("def make(size=3):\n    pass\n\nclass World:\n    pass\n", ["make", "World"]),
        ("def make(size):\n    pass\n\ndef _hidden():\n    pass\n\ndef world(*, size):\n    pass\n", ["name"]),
        ("def make(:\n", ["name"]),
    ],
)
def test_a_file_without_a_name_is_answered_with_what_it_holds(module, content, names):
    file = module(content)
    assert suggest_names(file) == f"Give it as {' or '.join(f'{file}:{name}' for name in names)}."
