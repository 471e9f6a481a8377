"""A climb on the terminal, as data and as Markdown."""

from __future__ import annotations

import json
import re

import msgspec
import pytest

from tests.outcomes import acting, climbed, failing, joined, mistaken, rung
from tests.show.made import HOSTILE
from tests.show.test_data import OF_A_FINDING, PROMISED, read
from weaklink.base.evidence.outcome import Measure, Outcome, RungTrial
from weaklink.judge.diagnosis.probing import judge_outcome
from weaklink.show.rendering import render
from weaklink.show.subjects.probe import describe_measure, explain_gaps, summarise_rung
from weaklink.verbs.probe import Probed

WELL = climbed(rung("ConstantReward"), rung("ObservedReward"), rung("TwoActions"))
SICK = climbed(
    rung("ConstantReward"), rung("ObservedReward"), rung("DelayedReward", mistaken("only the immediate reward"))
)
UNSURE = climbed(joined(rung("TwoActions", seeds=range(4)), rung("TwoActions", acting(lambda state: 0), seeds=[4])))
FAILS = climbed(failing("ConstantReward"))
NOTHING = climbed()


def shown(outcome: Outcome, format: str, **how) -> str:
    return render(Probed(outcome, judge_outcome(outcome)), format, **how)


def terminal(outcome: Outcome, width: int = 90, **how) -> str:
    return shown(outcome, "terminal", width=width, **how)


def markdown(outcome: Outcome) -> str:
    return shown(outcome, "markdown")


def data(outcome: Outcome) -> dict:
    return read(shown(outcome, "json"))


def test_the_answer_is_the_first_line():
    assert terminal(WELL).startswith("HEALTHY  all 3 rungs hold: no fault of the implementation shows\n")
    assert terminal(SICK).startswith("BROKEN  returns  PRB103 delayed-reward\n")
    assert terminal(FAILS).startswith("BROKEN  system  PRB120 trainer-fails\n")
    assert terminal(UNSURE).startswith("UNCLEAR  0 of 1 rung right")
    assert terminal(NOTHING).startswith("UNCLEAR  nothing could be trained\n")


def test_what_was_trained_is_the_second():
    assert terminal(WELL).splitlines()[1] == "mine.py:train · 9 trainings · 27,000 steps · 0 s · gamma 0.9"
    assert "gamma" not in terminal(FAILS).splitlines()[1]


def test_each_rung_has_a_line_with_its_worst_answer():
    lines = terminal(SICK).splitlines()
    at = lines.index("The ladder")
    rows = [line.split() for line in lines[at + 1 :] if "PRB10" in line]
    assert [(row[0], row[1], row[-1]) for row in rows] == [
        ("ok", "PRB101", "3/3"),
        ("ok", "PRB102", "3/3"),
        ("BROKEN", "PRB103", "0/3"),
    ]
    assert re.search(r"V -?0\.0\d*, right 0\.9 \(first step\)", terminal(SICK))
    assert "unsure" in terminal(UNSURE)
    assert "4/5" in terminal(UNSURE)
    assert "ValueError: no such space" in terminal(FAILS)


def measure(**changes) -> Measure:
    facts = dict(what="value", where="here", measured=0.5, right=1.0, low=0.9, high=1.1)
    return Measure(**{**facts, **changes})


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (measure(), "V 0.5, right 1 (here)"),
        (measure(what="q"), "Q 0.5, right 1 (here)"),
        (measure(what="action", low=0.8, high=1.0), "right 0.5, at least 0.8 (here)"),
        (measure(what="distance", low=0.0, high=0.3), "off target 0.5, at most 0.3 (here)"),
        (measure(what="guesses", high=0.68), "guesses 0.5, at most 0.68 (here)"),
        (measure(what="forbidden", measured=12.0, right=0.0), "forbidden 12, right 0 (here)"),
    ],
)
def test_measures_in_words(made, words):
    assert describe_measure(made) == words


def test_what_is_no_number_is_the_worst_answer():
    trial = RungTrial(seed=0, steps=9, measures=(measure(), measure(measured=float("nan"), where="there")))
    broken = msgspec.structs.replace(WELL.rungs[0], trials=(trial,))
    assert "(there)" in summarise_rung(broken)
    assert summarise_rung(msgspec.structs.replace(broken, trials=())) == "nothing to see"
    document = data(climbed(broken))
    assert document["ladder"][0]["trials"][0]["measures"][1]["measured"] == "nan"


def test_bands_without_an_end_are_valid_json():
    document = data(climbed(rung("LargeRewards")))
    measures = document["ladder"][0]["trials"][0]["measures"]
    assert "inf" in {one["high"] for one in measures}


def test_reasons_are_told_once():
    outcome = msgspec.structs.replace(WELL, left={"Memory": "why", "MemoryReset": "why", "QValues": "other"})
    assert explain_gaps(outcome) == ["Not climbed: Memory, MemoryReset: why.", "Not climbed: QValues: other."]
    assert "Not climbed: Memory, MemoryReset: why." in terminal(outcome)
    assert "Not climbed: QValues: other." in markdown(outcome)
    assert data(outcome)["left"] == {"Memory": "why", "MemoryReset": "why", "QValues": "other"}


def test_the_data():
    document = data(SICK)
    assert list(document)[: len(PROMISED)] == PROMISED
    assert all(list(finding) == OF_A_FINDING for finding in document["findings"])
    assert [rung["verdict"] for rung in document["ladder"]] == ["right", "right", "wrong"]
    assert data(FAILS)["ladder"][0]["trials"][0]["failure"] == "ValueError: no such space"
    assert data(WELL)["ladder"][0]["trials"][0]["failure"] is None


def test_markdown_has_a_table():
    text = markdown(SICK)
    assert text.startswith("## BROKEN: returns, PRB103 delayed-reward\n")
    rows = [row for row in text.splitlines() if row.startswith("| PRB")]
    assert len(rows) == 3
    assert rows[2].startswith("| PRB103 DelayedReward | `weaklink/DelayedReward-v0` | BROKEN | V ")
    assert rows[2].endswith("| 0/3 |")
    assert markdown(WELL).startswith("## HEALTHY: all 3 rungs hold")


@pytest.mark.parametrize("width", [10, 40, 60, 200])
@pytest.mark.parametrize(
    "outcome", [WELL, SICK, UNSURE, FAILS, NOTHING], ids=["well", "sick", "unsure", "fails", "none"]
)
def test_narrow_pages(outcome, width):
    drawn = terminal(outcome, width, unicode=False)
    assert drawn.isascii()
    names_and_seeds = 50  # what a table takes that does not break
    commands = [line for line in drawn.splitlines() if "weaklink probe" in line]
    rest = [line for line in drawn.splitlines() if line not in commands]
    assert max(map(len, rest)) <= max(width, names_and_seeds)


def hostile() -> Outcome:
    trials = tuple(
        RungTrial(
            seed=seed, steps=9, failure=f"ValueError: {HOSTILE}", kind="raised", printed=HOSTILE, notes=(HOSTILE,)
        )
        for seed in range(3)
    )
    broken = msgspec.structs.replace(rung("ConstantReward"), trials=trials)
    return Outcome(trainer=HOSTILE, rungs=(broken,), left={HOSTILE: HOSTILE}, notes=(HOSTILE,), shows=(HOSTILE,))


def test_nothing_of_a_trainer_reaches_the_terminal_raw():
    text = terminal(hostile())
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "evil" in text
    text.encode()


def test_nothing_of_a_trainer_is_read_as_markdown():
    text = markdown(hostile())
    outside = re.sub(r"(`+).*?(?<!`)\1(?!`)", "", text)
    assert "<b>" not in outside
    assert not re.search(r"(?<!\\)\[link", outside)
    assert "\x1b" not in text
    rows = [row for row in text.splitlines() if row.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows if "seeds" in row or "PRB101" in row} == {6}
    text.encode()


def test_hostile_names_are_valid_json():
    document = data(hostile())
    assert document["verdict"] == "broken"
    json.dumps(document).encode("ascii")
