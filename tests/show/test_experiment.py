"""An experiment as people and programs read it."""

from __future__ import annotations

import json
import re

import pytest

from weaklink.base.evidence.critic import CriticFit
from weaklink.judge.rules._registry import load_rules
from weaklink.show.rendering import render
from weaklink.show.subjects import critic, experiment
from weaklink.verbs.confirm._registry import find_designs
from weaklink.verbs.confirm.experiment import Answer, ArmDifference, ExperimentArm, ExperimentVerdict, SeedResult

HOSTILE = "<script>alert(1)</script>\x1b[31m"


def answer(verdict: ExperimentVerdict = ExperimentVerdict.CONFIRMED, failure: str = "") -> Answer:
    experiment = find_designs(load_rules()["POL303"])[0][1]
    ill = tuple(SeedResult(seed=seed, fired=True, values={"policy.kl": 0.5 + seed}, steps=512) for seed in (1, 2, 3))
    well = tuple(SeedResult(seed=seed, fired=False, values={"policy.kl": 0.01}, steps=512) for seed in (1, 2))
    last = SeedResult(seed=3, fired=None, told="too short", failure=failure)
    return Answer(
        experiment=experiment,
        target=HOSTILE,
        verdict=verdict,
        says="policy.kl goes from 2.5 to 0.01.",
        means="The step was too large.",
        decides="" if verdict is not ExperimentVerdict.UNDECIDED else "8 seeds would decide.",
        arms=(
            ExperimentArm(name="as configured", tried=ill),
            ExperimentArm(name="learning_rate x 0.1", tried=(*well, last)),
        ),
        differences=(
            ArmDifference(
                metric="policy.kl",
                then="falls",
                configured=2.5,
                changed=0.01,
                difference=-2.49,
                low=-3.0,
                high=-1.5,
                chance=0.004,
                beyond_chance=True,
            ),
        ),
        steps=512,
        seconds=12.0,
        notes=("Time ended trainings.",),
    )


@pytest.mark.parametrize("verdict", list(ExperimentVerdict))
def test_the_answer_comes_first_on_a_terminal(verdict):
    shown = render(answer(verdict), "terminal", width=80)
    assert shown.startswith(f"{verdict.value.upper()}  POL303 kl-spike")
    assert "learning_rate x 0.1" in shown
    assert "-2.49 (-3 to -1.5)" in shown
    assert ("8 seeds would decide." in shown) is (verdict is ExperimentVerdict.UNDECIDED)
    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_seed_that_failed_is_shown_with_its_reason():
    assert "ValueError: no" in render(answer(failure="ValueError: no"), "terminal", width=120)


def test_json_holds_every_number():
    told = json.loads(render(answer(), "json"))
    assert (told["command"], told["code"], told["verdict"]) == ("confirm", "POL303", "confirmed")
    assert told["arms"][0]["tried"][0]["values"] == {"policy.kl": 1.5}
    assert told["differences"][0]["chance"] == 0.004


def test_markdown_is_escaped():
    shown = render(answer(), "markdown")
    assert shown.startswith("## CONFIRMED: POL303 kl-spike")
    assert "<script>" not in re.sub(r"`[^`]*`", "", shown)


def test_a_page_has_the_arms_and_the_seeds():
    page = experiment.build(answer())
    assert page.verdict == "broken"
    assert page.headline == "confirmed: POL303 kl-spike"
    assert [section.id for section in page.sections] == ["answer", "arms", "remarks"]


FIT = CriticFit(before=-20.0, own=(-1.0, 0.2), fresh=(0.0, 0.9), linear=0.4, rows=600, updates=40, notes=("A remark.",))


def test_a_fit_is_shown_everywhere():
    shown = render(FIT, "terminal", name="project.py")
    assert shown.startswith("CANNOT FIT  the critic alone of project.py")
    assert "a fresh network of the same shape" in shown
    assert "under -999%" in shown
    told = json.loads(render(FIT, "json", name="project.py"))
    assert told["cannot_fit"] is True
    assert told["after"] == 0.2
    assert "training spoilt this one" in render(FIT, "markdown", name="project.py")
    page = critic.build(FIT, name="project.py")
    assert page.axes
    assert page.sections[0].blocks
