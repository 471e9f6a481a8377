"""What Python 3.10 cannot read or run, found on any Python; tests/test_style.py has ruff and mypy look for the rest."""

from __future__ import annotations

import ast
import re
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from weaklink.base.backports import StrEnum, parse_toml
from weaklink.base.evidence.config import parse_value
from weaklink.base.outside.child import make_module_command
from weaklink.collect.readers._console_lines import LONGEST, parse_named_numbers
from weaklink.collect.readers._yaml import load
from weaklink.show.text import escape_prose

ROOT = Path(__file__).parents[1]
PROJECT = parse_toml((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CLASS_OR_ESCAPE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)
NEWER = re.compile(r"[*+?}]\+|\(\?>")
SECONDS = 1.0
"""Of the processor; these texts take a tenth of it at most, and several where a run is tried at every length."""


def find_newer_patterns(source: str) -> list[str]:
    """Strings that hold a possessive quantifier or an atomic group; a list of words that is split is no pattern."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    documents = (node.value for node in nodes if isinstance(node, ast.Expr))
    split = (node.value for node in nodes if isinstance(node, ast.Attribute) and node.attr == "split")
    left = {id(node) for node in (*documents, *split)}
    strings = (node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
    texts = [node.value for node in strings if id(node) not in left]
    return [text for text in texts if NEWER.search(CLASS_OR_ESCAPE.sub("x", text))]


def test_no_pattern_needs_a_newer_python():
    files = (ROOT / "src").rglob("*.py")
    sources = ((file, text) for file in files if "import re\n" in (text := file.read_text(encoding="utf-8")))
    assert {file: found for file, text in sources if (found := find_newer_patterns(text))} == {}


@pytest.mark.parametrize("pattern", [r"a++", r"(?>a|b)c", r"[+*]*+", r"\d{2}+", r"\w?+"])
def test_newer_patterns_are_seen(pattern):
    assert find_newer_patterns(f"re.compile({pattern!r})") == [pattern]


@pytest.mark.parametrize("pattern", [r"[-*+]+", r"\++", r"\*+", r"[\]*+]", r"(?=(\d+))\1", r"[]*+]x"])
def test_older_patterns_are_left(pattern):
    assert find_newer_patterns(f"re.compile({pattern!r})") == []


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (parse_named_numbers, "a: " + "1" * (LONGEST - 4) + ":"),
        (parse_named_numbers, "step " + "1" * (LONGEST - 6) + "%"),
        (parse_named_numbers, "a b c d e" + " " * (LONGEST - 10) + "x"),
        (parse_named_numbers, "a = [" + " " * (LONGEST - 6) + "x"),
        (parse_value, "1_1" * 20_000 + "x"),
        (escape_prose, "`" * 40_000 + "a"),
        (escape_prose, "`a" * 20_000),
        (load, "'" + "a''" * 15_000),
        (load, '"' + "\\a" * 20_000),
        (load, "'a'" + " " * 40_000 + "x"),
    ],
)
def test_no_text_is_tried_at_every_length(parse, text):
    began = time.process_time()
    with suppress(ValueError):  # of YAML that is none
        parse(text)
    assert time.process_time() - began < SECONDS


def test_numbers_are_not_cut_short():
    assert parse_named_numbers("clock=1e-5: lr=2e-5 at=12:30") == {"lr": 2e-5}


def test_a_safe_path_leaves_out_the_folder_in_which_a_command_is_run(tmp_path):
    (tmp_path / "platform.py").write_text("print('from here')\n")

    def run(*, safe_path: bool) -> str:
        words = make_module_command("platform", safe_path=safe_path)
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert run(safe_path=False) == "from here\n"
    assert "from here" not in run(safe_path=True)


def test_members_are_written_as_their_values():
    class Colour(StrEnum):
        RED = "red"

    assert (str(Colour.RED), f"{Colour.RED:>5}", Colour.RED == "red") == ("red", "  red", True)


def test_the_project_names_one_oldest_python():
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    version = re.compile(r"Programming Language :: Python :: (3\.\d+)")
    named = map(version.fullmatch, PROJECT["project"]["classifiers"])
    assert next(match.group(1) for match in named if match is not None) == oldest
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{oldest.replace('.', '')}"
