"""Every command and option that a page names exists."""

from __future__ import annotations

import json
import re
import shlex

from typer.main import get_command

from tests.cli.logs import call
from tests.docs.sources import FENCE, ROOT, prose, texts
from weaklink.cli import app

COMMANDS = get_command(app).commands
EVERYWHERE = {"--help", "--version", "--install-completion", "--show-completion"}
INLINE = re.compile(r"`(?:python -m )?weaklink(?=[ `])([^`]*)`")
SHELL = re.compile(r"^(?:\$ )?(?:\S*bin/)?weaklink (.*)$", re.MULTILINE)
EXAMPLE = re.compile(r"(?<![\w/])examples/[\w./-]*\w")
FIRST = re.compile(r"[a-z][a-z-]*\Z")


def named(text: str) -> list[str]:
    """The command lines of a page: in its blocks for the shell, and inline."""
    blocks = [body for _, language, body in FENCE.findall(text) if language in ("sh", "bash", "shell")]
    lines = [line for body in blocks for line in SHELL.findall(body.replace("\\\n", " "))]
    return lines + [" ".join(words.split()) for words in INLINE.findall(prose(text))]


def words_of(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:  # an apostrophe in a remark
        return line.partition("#")[0].split()


def drop_own(words: list[str]) -> list[str]:
    """The words up to a training script or `--`: what follows is the script's own."""
    ends = (place for place, word in enumerate(words) if word == "--" or word.rpartition("/")[2] == "train.py")
    return words[: next(ends, len(words))]


def unknown(line: str) -> list[str]:
    """The command, where there is none of this name, or the options that it does not have."""
    words = words_of(line)
    if not words or words[0].startswith("-"):
        return [word for word in words if word.startswith("--") and word not in EVERYWHERE]
    if not FIRST.match(words[0]):
        return []  # COMMAND, or an ellipsis
    if words[0] not in COMMANDS:
        return [words[0]]
    have = {name for option in COMMANDS[words[0]].params for name in (*option.opts, *option.secondary_opts)}
    asked = [word.partition("=")[0].rstrip(",;.") for word in drop_own(words[1:]) if re.match(r"--?[a-z]", word)]
    return [option for option in asked if option not in have | EVERYWHERE]


def test_pages_name_only_commands_and_options_that_exist():
    wrong = [
        f"{page}: {line}: {unknown(line)}" for page, text in texts().items() for line in named(text) if unknown(line)
    ]
    assert wrong == []


def test_the_examples_that_pages_name_are_there():
    lost = {name for text in texts().values() for name in EXAMPLE.findall(text) if not (ROOT / name).exists()}
    assert lost == set()


def test_the_skill_names_the_commands_that_judge():
    told = {words_of(line)[0] for line in named(texts()["SKILL.md"]) if words_of(line)}
    assert {"preflight", "probe", "watch", "diagnose", "audit", "compare", "explain"} <= told


def test_the_keys_that_the_skill_tells_are_those_of_the_output():
    shown = next(json.loads(body) for _, language, body in FENCE.findall(texts()["SKILL.md"]) if language == "json")
    given = json.loads(call("diagnose", "examples/broken_run", "--format", "json", cwd=ROOT).stdout)
    assert set(shown) <= set(given)
    assert set(shown["findings"][0]) <= set(given["findings"][0])
    assert shown["first_break"] == given["first_break"]


def test_the_check_sees_what_is_wrong():
    assert unknown("diagnoze runs/") == ["diagnoze"]
    assert unknown("diagnose runs/ --formatt json") == ["--formatt"]
    assert unknown('probe --cmd "python train.py --env-id {env}" --seeds 2') == []
