"""A preflight on the terminal, as data and as Markdown, of surveys made by hand."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from tests.show.made import HOSTILE, finding
from tests.show.test_data import OF_A_FINDING, PROMISED, read
from tests.unwrapping import unwrapped
from tests.worlds import box, changed, discrete, play, with_play, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import Survey
from weaklink.base.finding import LOW, Evidence, Level
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.checklists import ChecklistItem, check_before_training
from weaklink.judge.diagnosis.diagnosis import Diagnosis, FirstBreak, Verdict
from weaklink.judge.diagnosis.preflight import cut_after_break, judge_survey
from weaklink.show.rendering import render
from weaklink.show.subjects.preflight import describe_space
from weaklink.verbs.preflight import Preflight

CHECKLIST = (
    ChecklistItem(name="unit test", question="Sound?", state="failed", told="ACT102 dead-action-dimension."),
    ChecklistItem(name="random baseline", question="How good?", state="done", told="Random play returns 3."),
    ChecklistItem(
        name="normaliser clip",
        question="Cut?",
        state="open",
        told="Nothing says.",
        command="weaklink preflight made --config FILE",
    ),
    ChecklistItem(
        name="learning rate",
        question="Usual?",
        state="open",
        told="Nothing says.",
        command="weaklink preflight made --config FILE",
    ),
)


def dead_wheel(**changes) -> Diagnosis:
    wheel = finding(
        "ACT102",
        name="dead-action-dimension",
        link=Link.ACTION,
        level=Level.ERROR,
        message="Action 1 does nothing.",
        onset=None,
        evidence=(Evidence(metric="effect", value=0.0, limit=0.001),),
        verify="weaklink preflight made --select ACT102",
    )
    follows = finding(
        "ENV108", name="oracle-fails", link=Link.ENVIRONMENT, onset=None, consequence_of="ACT102", evidence=()
    )
    further = finding("REW102", name="sparse", link=Link.REWARD, onset=None, evidence=())
    known = finding("TSK107", name="horizon", link=Link.TASK, level=Level.INFO, onset=None, confidence=LOW, evidence=())
    facts = dict(
        target="made",
        verdict=Verdict.BROKEN,
        first_break=FirstBreak(Link.ACTION, "ACT102", None),
        findings=(wheel, follows, further, known),
        clean=("OBS101", "OBS102"),
        blind={"ENV107": ("endings",)},
        unable={"REW112": "ValueError: boom"},
        notes=("a stage was left out.",),
        advice=("Look again.",),
        framework="gymnasium",
    )
    return Diagnosis(**{**facts, **changes})


def healthy() -> Diagnosis:
    return Diagnosis(target="made", verdict=Verdict.HEALTHY, clean=tuple(f"OBS1{n:02}" for n in range(25)))


def shown(format: str, diagnosis, survey, checklist=CHECKLIST, **how) -> str:
    return render(Preflight(survey, diagnosis, tuple(checklist)), format, everything=True, **how)


def terminal(diagnosis, survey, checklist=CHECKLIST, **how) -> str:
    return shown("terminal", diagnosis, survey, checklist, **how)


def markdown(diagnosis, survey, checklist=CHECKLIST) -> str:
    return shown("markdown", diagnosis, survey, checklist)


def data(diagnosis, survey, checklist=CHECKLIST) -> dict:
    return read(shown("json", diagnosis, survey, checklist))


# -- the terminal


def test_the_answer_is_the_first_line():
    assert terminal(dead_wheel(), world()).startswith("BROKEN  action  ACT102 dead-action-dimension\n")
    assert terminal(healthy(), world()).startswith("HEALTHY  ")
    assert terminal(healthy().__class__(target="x", verdict=Verdict.UNCLEAR), Survey(name="x")).startswith("UNCLEAR  ")


def test_what_was_surveyed_is_the_second():
    lines = terminal(dead_wheel(), world(seconds=12.4)).splitlines()
    assert lines[1] == "made · sees 3 numbers · does 1 number · 40,000 steps/s · surveyed in 12 s"


def test_everything_a_person_needs_is_there():
    text = terminal(dead_wheel(), world())
    for part in (
        "Action 1 does nothing.",
        "error, high confidence",
        "effect",
        "1. Lower the learning rate",
        "weaklink preflight made --select ACT102",
        "ENV108 oracle-fails",
        "REW102 sparse",
        "TSK107 horizon",
        "Look again.",
        "Returns",
        "Rewards",
        "What is seen",
        "Before training",
        "[!] unit test  ACT102 dead-action-dimension.",
        "[x] random baseline  Random play returns 3.",
        "REW112 failed itself",
        "a stage was left out.",
    ):
        assert part in text, part


def test_what_is_open_stands_with_the_command_that_would_settle_it():
    text = terminal(dead_wheel(), world())
    assert "[ ] normaliser clip, learning rate weaklink preflight made --config FILE" in unwrapped(text)
    assert text.count("--config FILE") == 1


@pytest.mark.parametrize(("width", "widest"), [(80, 80), (100, 100), (50, 60), (10, 60)])
def test_it_fits(width, widest):
    wide = with_play(world(), random=play("random", components={"a part of the reward": np.ones(5000)}))
    assert max(map(len, terminal(dead_wheel(), wide, width=width).splitlines())) <= widest


def test_without_unicode_it_is_ascii():
    assert terminal(dead_wheel(), world(), unicode=False).isascii()


@pytest.mark.parametrize(
    ("space", "words"),
    [
        (discrete(4), "1 of 4"),
        (box(7), "7 numbers"),
        (box(1), "1 number"),
        (Space(kind="box", shape=(84, 84, 3), dtype="uint8"), "an image 84x84x3"),
        (Space(kind="multi_discrete", shape=(3,), choices=(2, 3, 4), first=(0, 0, 0)), "3 choices"),
        (Space(kind="multi_binary", shape=(2, 3)), "6 switches"),
        (Space(kind="dict", parts={"arm": box(2), "goal": box(3)}), "dict of arm, goal"),
        (Space(kind="tuple", parts={"0": box(2), "1": discrete(3)}), "tuple of 0, 1"),
        (Space(kind="other"), "something that is no array of numbers"),
    ],
)
def test_a_space_in_a_few_words(space, words):
    assert describe_space(space) == words
    assert f"sees {words}" in unwrapped(terminal(healthy(), world(observation=space, plays={})))


# -- data


def test_the_contract():
    document = data(dead_wheel(), world(seconds=3.5))
    assert list(document)[: len(PROMISED)] == PROMISED
    assert document["command"] == "preflight"
    assert document["first_break"] == {"link": "action", "code": "ACT102", "step": None}
    assert [list(one) for one in document["findings"]] == [OF_A_FINDING] * 4
    assert document["seconds"] == 3.5
    assert document["environment"]["observation"] == {"kind": "box", "size": 3, "shape": [3]}
    assert document["environment"]["facts"]["wrappers"] == ["TimeLimit", "OrderEnforcing"]
    assert document["environment"]["timing"]["steps_per_second"] == 40_000
    assert list(document["checklist"][0]) == ["name", "question", "state", "told", "command"]
    assert document["checklist"][0]["told"] == "ACT102 dead-action-dimension."
    assert list(document["pictures"]) == ["rewards", "baselines", "traces", "sweeps", "shares"]
    assert document["pictures"]["shares"] is None
    assert {one["policy"] for one in document["pictures"]["baselines"]["plays"]} == {"random", "zero", "search"}


def test_spaces_inside_of_spaces():
    space = Space(kind="dict", parts={"arm": box(2), "pair": Space(kind="tuple", parts={"0": discrete(3)})})
    told = data(healthy(), world(observation=space, action=discrete(4), plays={}))["environment"]
    assert told["observation"]["size"] == 3
    assert told["observation"]["parts"]["pair"]["parts"]["0"] == {"kind": "discrete", "size": 1, "choices": [3]}
    assert told["action"] == {"kind": "discrete", "size": 1, "choices": [4]}


def test_numbers_that_are_not_finite_are_valid_json():
    rewards = np.where(np.arange(5000) % 7 == 0, np.nan, np.inf)
    survey = with_play(world(facts={"reward_threshold": float("inf")}), random=play("random", rewards=rewards))
    document = data(dead_wheel(), survey)
    assert document["environment"]["facts"]["reward_threshold"] == "inf"
    assert document["pictures"]["rewards"]["not_finite"] == 5000


def test_of_an_environment_that_was_never_made_there_is_little_to_tell():
    bare = Survey(name="gone")
    document = data(dead_wheel(), bare)
    assert document["environment"] == {"observation": None, "action": None, "facts": {}, "timing": None}
    assert set(document["pictures"].values()) == {None}
    assert terminal(dead_wheel(), bare).splitlines()[1] == "gone · surveyed in 0 s"
    assert markdown(dead_wheel(), bare).startswith("## BROKEN: action, ACT102 dead-action-dimension\n")


# -- Markdown


def test_the_answer_is_the_heading():
    assert markdown(dead_wheel(), world()).startswith(
        "## BROKEN: action, ACT102 dead-action-dimension\n\n`made`, sees 3 numbers"
    )
    assert markdown(healthy(), world()).startswith("## HEALTHY: ")


def test_everything_is_there_in_markdown_too():
    text = markdown(dead_wheel(), world())
    for part in (
        "### ACT102 dead-action-dimension (error, high confidence)",
        "| `effect` | 0, limit 0.001 |",
        "1. Lower the learning rate",
        "`weaklink preflight made --select ACT102`",
        "- ENV108 oracle-fails, environment",
        "### REW102 sparse",
        "- **TSK107 horizon**",
        "- Look again.",
        "**Returns of the baselines**",
        "| `random` |",
        "**Before training**",
        "- [x] random baseline: Random play returns 3.",
        "- [ ] unit test: ACT102 dead-action-dimension.",
        "- [ ] normaliser clip: Nothing says. `weaklink preflight made --config FILE`",
        "Judged 6 of 8 rules",
    ):
        assert part in text, part


def test_means_are_those_of_the_episodes_that_came_to_their_end():
    ended = play(
        "zero", rewards=np.repeat([1.0, 5.0], 50), lengths=[50, 50], ends=np.array([1, 0]), told="stands still"
    )
    text = markdown(healthy(), world(plays={"zero": ended}))
    assert "| `zero` | 50 | 50 to 50 | 1 episode, stands still |" in text


# -- whatever comes from an environment


def hostile() -> tuple[Diagnosis, Survey, tuple[ChecklistItem, ...]]:
    found = finding("ACT102", link=Link.ACTION, message=HOSTILE, fix=(HOSTILE,), verify=HOSTILE, evidence=())
    diagnosis = dead_wheel(target=HOSTILE, findings=(found,), notes=(HOSTILE,), advice=(HOSTILE,))
    plays = {HOSTILE: changed(play(told=HOSTILE, components={HOSTILE: np.ones(5000)}), policy=HOSTILE)}
    space = Space(kind="dict", parts={HOSTILE: box(3)})
    survey = changed(world(), name=HOSTILE, plays=plays, observation=space, facts={HOSTILE: HOSTILE})
    item = ChecklistItem(name=HOSTILE, question=HOSTILE, state="open", told=HOSTILE, command=HOSTILE)
    return diagnosis, survey, (item, ChecklistItem(name=HOSTILE, question=HOSTILE, state="failed", told=HOSTILE))


def test_nothing_of_an_environment_reaches_the_terminal_raw():
    text = terminal(*hostile())
    assert "\x1b" not in text
    assert "\u202e" not in text
    text.encode()


def test_nothing_of_an_environment_is_read_as_markdown():
    text = markdown(*hostile())
    outside = re.sub(r"(`+).*?(?<!`)\1(?!`)", "", text)
    assert "<b>" not in outside
    assert not re.search(r"(?<!\\)\[link", outside)
    rows = [row for row in text.splitlines() if row.startswith("| ")]
    assert rows
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}
    text.encode()


def test_hostile_names_are_valid_json():
    document = data(*hostile())
    assert document["checklist"][0]["state"] == "open"
    json.dumps(document).encode("ascii")


# -- the real thing


def test_a_healthy_world_judged_by_the_rules():
    survey = world({"algorithm": "PPO", "learning_rate": 3e-4, "gamma": 0.99})
    diagnosis = judge_survey(survey)
    assert diagnosis.unable == {}
    checklist = check_before_training(survey, diagnosis)
    text = terminal(cut_after_break(diagnosis), survey, checklist)
    assert diagnosis.verdict.value.upper() in text.splitlines()[0]
    assert "[x] random baseline" in text
    assert data(diagnosis, survey, checklist)["coverage"]["judged"] == diagnosis.judged
    assert f"Judged {diagnosis.judged} of {diagnosis.asked} rules" in markdown(diagnosis, survey, checklist)


def test_a_sick_world_stops_at_its_first_break():
    survey = changed(world(), in_place="observation[0]")
    still = play("random", rewards=np.zeros(5000), observations=np.zeros((5000, 3)), successors=np.zeros((5000, 3)))
    survey = changed(survey, plays={"random": still}, same_whatever_done=True)
    diagnosis = judge_survey(survey)
    shown = cut_after_break(diagnosis)
    assert diagnosis.verdict is Verdict.BROKEN
    assert len(shown.findings) < len(diagnosis.findings)
    assert shown.first_break == diagnosis.first_break
    assert shown.advice[-1].endswith("--all shows everything at once.")
    codes = {one.code for one in diagnosis.findings if one.severity >= Level.WARN}
    kept = {one.code for one in shown.findings if one.severity >= Level.WARN}
    named = set(re.findall(r"[A-Z]{3}\d{3}", shown.advice[-1]))
    assert named == codes - kept
