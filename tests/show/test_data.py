from __future__ import annotations

import json

from tests.show.made import broken, consequence, healthy, hostile
from weaklink._version import __version__
from weaklink.judge.diagnosis.symptoms import find_symptom
from weaklink.show.rendering import render
from weaklink.verbs.targets import Failure

PROMISED = [
    "weaklink",
    "schema",
    "command",
    "target",
    "verdict",
    "first_break",
    "findings",
    "clean",
    "blind",
    "unknown_keys",
]
OF_A_FINDING = [
    "code", "name", "link", "level", "message", "onset", "confidence", "evidence", "fix", "verify", "consequence_of",
]  # fmt: skip


def read(text: str) -> dict:
    def refuse(word: str):
        raise AssertionError(f"{word} is no JSON")

    assert text.endswith("\n")
    assert text.count("\n") == 1
    return json.loads(text, parse_constant=refuse)


def line(result, **options) -> str:
    return render(result, "json", **options)


def test_the_contract():
    document = read(line(broken()))
    assert list(document)[: len(PROMISED)] == PROMISED
    assert (document["weaklink"], document["schema"], document["command"]) == (__version__, 1, "diagnose")
    assert document["first_break"] == {"link": "policy", "code": "POL301", "step": 61440}
    assert list(document["findings"][0]) == OF_A_FINDING
    assert document["findings"][0]["evidence"] == [
        {"metric": "policy.clip_fraction", "value": 0.8, "limit": 0.3, "step": 61440}
    ]
    assert document["findings"][1]["consequence_of"] == "POL301"
    assert document["blind"]["DAT301"] == ["data.staleness"]
    assert document["coverage"] == {"judged": 6, "asked": 9}


def test_whole_steps_are_whole_numbers():
    assert '"onset":71680,' in line(broken(findings=(consequence(),)))


def test_a_healthy_run_has_no_first_break():
    document = read(line(healthy()))
    assert document["first_break"] is None
    assert document["findings"] == []


def test_numbers_that_are_not_finite_and_hostile_names_are_valid_json():
    document = read(line(hostile()))
    assert document["findings"][0]["evidence"][0] | {"metric": ""} == {
        "metric": "", "value": "nan", "limit": "inf", "step": "-inf",
    }  # fmt: skip


def test_an_unreadable_target():
    assert read(line(Failure("runs/x", "It is empty."))) == {
        "weaklink": __version__,
        "schema": 1,
        "command": "diagnose",
        "target": "runs/x",
        "error": "It is empty.",
    }


def test_a_symptom_is_told():
    document = read(line(broken(), symptom=find_symptom("entropy")))
    assert document["symptom"]["name"] == "entropy collapsed"
    assert list(document["symptom"]["rules"]) == ["EXP301", "POL301"]
