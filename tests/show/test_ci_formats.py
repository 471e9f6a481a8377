"""Formats that CI systems read, held against what their readers ask for."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from tests.show.made import broken, broken_run, healthy, healthy_run, hostile
from weaklink.show.rendering import FOR_CI, render
from weaklink.verbs.diagnose import Diagnosed
from weaklink.verbs.targets import Failure

UNREAD = Failure("runs/bad", "runs/bad is empty.")


def fleet(format: str) -> str:
    return render(Diagnosed(results=(broken(), healthy(), UNREAD), runs=2), format, every=True)


def test_an_annotation_is_one_line_with_what_to_do():
    lines = render(broken(), "github", run=broken_run()).splitlines()
    first = lines[0]
    assert first.startswith("::warning title=POL301 excessive-clipping::runs/ppo_1: The first break. The clip fraction")
    assert "%0A- Lower the learning rate" in first
    assert all(line.startswith(("::warning title=", "::error title=", "::notice title=")) for line in lines)
    assert not any("EXP301" in line.partition("::")[0] for line in lines), "a consequence is no note of its own"


def test_a_healthy_run_is_a_notice():
    (line,) = [one for one in render(healthy(), "github", run=healthy_run()).splitlines() if "HEALTHY" in one]
    assert line.startswith("::notice title=weaklink%3A HEALTHY::")


def test_sarif_says_rule_level_and_place_of_every_finding():
    log = json.loads(render(broken(), "sarif", run=broken_run()))
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert log["version"] == "2.1.0"
    assert len(run["results"]) == len(broken().findings)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "runs/ppo_1"
    assert json.loads(render(healthy(), "sarif", run=healthy_run()))["runs"][0]["tool"]["driver"]["name"] == "weaklink"


def test_junit_has_a_case_for_every_run():
    suite = ElementTree.fromstring(fleet("junit"))
    cases = {case.get("name"): case for case in suite}
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    failure = cases["runs/ppo_1"].find("failure")
    assert failure is not None
    assert failure.get("type") == "POL301"
    assert "1. Lower the learning rate" in (failure.text or "")
    assert cases["runs/bad"].find("error") is not None
    assert [tag.tag for tag in cases[healthy().target] if tag.tag in ("failure", "error")] == []


@pytest.mark.parametrize("format", FOR_CI)
def test_text_from_a_log_breaks_no_format(format: str):
    text = render(hostile(), format)
    if format == "sarif":
        json.loads(text)
    elif format == "junit":
        ElementTree.fromstring(text)
    else:
        assert all(line.startswith("::") for line in text.splitlines())
    assert "\x1b" not in text
    assert "\udcff" not in text
