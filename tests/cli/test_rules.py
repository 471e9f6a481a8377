from __future__ import annotations

import json

import pytest

from tests.cli.logs import invoke
from tests.unwrapping import unwrapped
from weaklink._version import __version__
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import load_rules


def weaklink(*arguments):
    return invoke(*arguments)


def test_rules_has_a_line_for_each():
    lines = weaklink("rules").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(load_rules())


def test_rules_of_a_link_and_with_a_word():
    assert {line.split()[2] for line in weaklink("rules", "--link", "policy").stdout.splitlines()[1:]} == {"policy"}
    assert "POL301" in weaklink("rules", "clip").stdout
    assert weaklink("rules", "no such word").exit_code == 2


def test_rules_as_data_and_as_markdown():
    document = json.loads(weaklink("rules", "-f", "json").stdout)
    assert document["command"] == "rules"
    assert [rule["code"] for rule in document["rules"]] == list(load_rules())
    assert "## policy" in weaklink("rules", "-f", "markdown").stdout


def test_explain_by_code_and_by_name():
    page = weaklink("explain", "POL301").stdout
    assert page.startswith("POL301 excessive-clipping\n")
    assert "lasting = 0.3" in page
    assert weaklink("explain", "excessive-clipping").stdout == page
    assert weaklink("explain", "POL301", "-f", "markdown").stdout.startswith("# POL301 excessive-clipping\n")
    assert json.loads(weaklink("explain", "POL301", "-f", "json").stdout)["sections"]["What to do"]


def test_explain_shows_the_problem_of_a_probe():
    for shown in (weaklink("explain", "PRB106").stdout, weaklink("explain", "PRB106", "-f", "markdown").stdout):
        assert "The right answers, for a discount of 0.9" in shown
        assert "time limit taken for a terminal" in shown
        assert 'gymnasium.make("weaklink.envs:weaklink/TimeLimit-v0")' in shown
        assert "](" not in shown
    assert "completions for each prompt" in weaklink("explain", "PRB206").stdout


@pytest.mark.parametrize(("word", "told"), [("metrics", "policy.kl"), ("probes", "PRB101"), ("symptoms", "REW305")])
def test_explain_knows_topics(word, told):
    assert told in weaklink("explain", word).stdout
    page = weaklink("explain", word.upper(), "-f", "markdown").stdout
    assert page.startswith("# ")
    assert "](" not in page
    assert json.loads(weaklink("explain", word, "-f", "json").stdout)["text"] == page


def test_explain_knows_what_was_meant():
    result = weaklink("explain", "exessive-cliping")
    assert result.exit_code == 2
    assert "Did you mean excessive-clipping?" in unwrapped(result.stderr)


def test_a_family_is_told_as_one():
    result = weaklink("explain", "pol")
    assert result.exit_code == 2
    assert "POL is a family of rules" in unwrapped(result.stderr)
    assert "`weaklink rules POL`" in unwrapped(result.stderr)
    assert {line[:3] for line in weaklink("rules", "POL").stdout.splitlines()[1:]} == {"POL"}


@pytest.mark.parametrize("link", Link)
def test_every_link_has_rules(link):
    assert any(rule.link is link for rule in load_rules().values())


def test_version():
    assert weaklink("--version").stdout == f"weaklink {__version__}\n"
