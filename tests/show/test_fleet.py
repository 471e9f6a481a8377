from __future__ import annotations

from tests.show.made import HOSTILE, broken, finding, healthy
from weaklink.judge.diagnosis.symptoms import find_symptom
from weaklink.show.rendering import render
from weaklink.verbs.diagnose import Diagnosed
from weaklink.verbs.targets import Failure

RESULTS = [broken(target="runs/a/1"), healthy(target="runs/a/2"), Failure("runs/b/bad.csv", "runs/b/bad.csv is empty.")]


def summary(results, together=None, symptom=None) -> str:
    return render(Diagnosed(results=tuple(results), together=together, runs=2), "terminal", symptom=symptom)


def test_each_run_has_its_row_and_its_reason():
    text = summary(RESULTS)
    assert text.startswith("3 runs: 1 broken, 1 healthy, 1 unreadable\n\nThe runs  in runs\n")
    assert "a/1        broken      policy POL301 @ 61,440  error  6/9" in text
    assert "a/2        healthy" in text
    assert "b/bad.csv  unreadable" in text
    assert "runs/b/bad.csv is empty." in text


def test_what_the_runs_say_together_and_the_symptom_are_told():
    together = broken(findings=(finding("EVA302", name="protocol-drift", message="They differ."),))
    text = summary(RESULTS, together, find_symptom("reward flat"))
    assert "The runs taken together\n  warn  EVA302 protocol-drift  They differ." in text
    assert "You see: reward flat\n  Look at " in text


def test_long_names_give_way():
    text = summary([broken(target="runs/" + "x" * 200), healthy()])
    assert max(map(len, text.splitlines())) <= 80


def test_names_that_are_no_paths():
    text = summary([broken(target="standard input"), healthy(target="/abs/x"), healthy(target="rel/y")])
    assert "standard input" in text
    assert "/abs/x" in text


def test_hostile_names_are_cleaned():
    text = summary([broken(target=HOSTILE), Failure(HOSTILE, HOSTILE)])
    assert "\x1b" not in text
    text.encode()
