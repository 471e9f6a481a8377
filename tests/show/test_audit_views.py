"""An audit on the terminal, as data and as Markdown, of samples made by hand."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from tests.show.made import HOSTILE, finding
from tests.show.test_data import OF_A_FINDING, PROMISED, read
from tests.unwrapping import unwrapped
from weaklink.base.evidence.samples import Samples, ShownSample, TrajectoryParting
from weaklink.base.evidence.verifier import ATTACK, FORM, VerifierAttempt, VerifierCheck
from weaklink.base.finding import Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.collect.samples.curves import make_curves
from weaklink.judge.diagnosis.diagnosis import Diagnosis, FirstBreak, MetricWish, Verdict
from weaklink.show.columns import measure_width, tidy, wrap_text
from weaklink.show.rendering import render
from weaklink.verbs.audit import Audited

STEPS = np.repeat(np.arange(0.0, 200.0, 10.0), 16)


def shown(text: str, **changes) -> ShownSample:
    facts = dict(prompt="What is 2 + 2?", completion=text, step=40.0, reward=0.9, outcome=0.0, row=16)
    return ShownSample(**{**facts, **changes})


def made(**changes) -> Samples:
    """A reward that follows length while the outcome falls past its peak."""
    generator = np.random.default_rng(0)
    count = len(STEPS)
    length = 100 + STEPS + generator.normal(0, 5, count)
    gold = (generator.random(count) < 0.6 - STEPS / 400).astype(float)
    samples = Samples.of(
        "made",
        step=STEPS,
        reward=length / 300,
        reward__right=gold,
        reward__style=length / 300,
        gold=gold,
        length=length,
        repetition=STEPS / 400,
        refusal=np.zeros(count),
        style__bold=generator.random(count),
        tool_calls=np.full(count, 3.0),
        group=np.arange(count) // 8,
        prompt=np.arange(count) // 8,
        template=generator.integers(0, 3, count),
        answer=generator.integers(0, 9, count),
        text=np.arange(count),
    )
    facts = dict(
        source="runs/made.jsonl",
        best=(shown("best of all"), shown("second best")),
        worst=(shown("worst of all", reward=0.1), shown("second worst", reward=0.2)),
        random=(shown("by chance", reward=0.5, outcome=None),),
        partings=(
            TrajectoryParting(
                task="book a flight",
                shared=("search", "open"),
                successful="pay",
                failed="ends",
                successes=5,
                failures=3,
            ),
        ),
        faults=("row 7: reward must be a number, not 'x'",),
        unknown=("custom", "odd"),
    )
    samples = replace(samples, **{**facts, **changes})
    return replace(samples, run=make_curves(samples, None))


def diagnosed(**changes) -> Diagnosis:
    broke = finding(
        "LLM302",
        name="length-inflation",
        link=Link.REWARD,
        message="Completions grew.",
        onset=110.0,
        evidence=(Evidence(metric="task.completion_length", value=250.0, limit=200.0, step=110.0),),
    )
    follows = finding("LLM303", name="repetition", link=Link.POLICY, consequence_of="LLM302", onset=120.0, evidence=())
    known = finding("LLM305", name="refusal-drift", link=Link.TASK, level=Level.INFO, evidence=())
    facts = dict(
        target="runs/made.jsonl",
        verdict=Verdict.BROKEN,
        first_break=FirstBreak(Link.REWARD, "LLM302", 110.0),
        findings=(broke, follows, known),
        clean=("LLM308",),
        blind={"LLM301": ("human_score",)},
        wishes=(MetricWish("human_score", ("LLM301",), "what a human gave"),),
        notes=("The last line was torn.",),
        steps=190.0,
    )
    return Diagnosis(**{**facts, **changes})


def audited(samples: Samples | None = None, **changes) -> Audited:
    return Audited(diagnosed(), made() if samples is None else samples, **{"faulty": 1, **changes})


def verifier() -> VerifierCheck:
    def attempt(family: str, kind: str, score: float) -> VerifierAttempt:
        return VerifierAttempt(
            family=family,
            kind=kind,
            case=0,
            prompt="2+2",
            answer="4",
            text="x",
            characters=1,
            right=1.0,
            wrong=0.0,
            score=score,
        )

    attempts = (attempt(ATTACK, "empty", 0.0), attempt(ATTACK, "every option", 1.0), attempt(FORM, "upper case", 0.0))
    return VerifierCheck(
        name="grader.py:reward", style="trl", domains=("maths",), asked=9, apart=8, calls=40, attempts=attempts,
        notes=("A remark.",),
    )  # fmt: skip


def terminal(result: Audited, **how) -> str:
    return render(result, "terminal", **how)


def markdown(result: Audited) -> str:
    return render(result, "markdown")


def data(result: Audited) -> dict:
    return read(render(result, "json"))


# -- the terminal


def test_the_answer_comes_first_and_what_was_looked_at_second():
    lines = terminal(audited()).splitlines()
    assert lines[0] == "BROKEN  reward  LLM302 length-inflation  from step 110"
    assert lines[1] == "runs/made.jsonl · 320 rows · steps 0 to 190"


def test_everything_a_person_needs_is_there():
    text = terminal(audited(verifier=verifier()))
    for part in (
        "Completions grew.",
        "LLM303 repetition, policy, from step 120",
        "Samples side by side",
        "What is paid",
        "What the reward follows",
        "By training step",
        "commonest template",
        "different answers",
        "gold is best at step",
        "40 groups of 8 rows",
        "rows stand together in 100 % of groups",
        "book a flight  after search → open, 5 that succeed go on with pay, 3 that fail",
        "Verifier grader.py:reward",
        "every option",
        "Answers that should not be paid  1 other kind: not paid",
        "Judged 4 of 5 rules",
        "human_score  lets 1 more rule judge: what a human gave",
        "1 fault in 321 rows: row 7: reward must be a number, not 'x'.",
        "fields not used: custom, odd.",
        "The last line was torn.",
    ):
        assert part in text, part


def test_samples_stand_side_by_side_where_there_is_room():
    lines = terminal(audited(), width=100).splitlines()
    texts = next(line for line in lines if "best of all" in line)
    assert "worst of all" in texts
    assert "by chance" in texts
    assert texts.index("best") < texts.index("worst") < texts.index("chance")


def test_and_one_below_the_other_where_there_is_none():
    lines = terminal(audited(), width=60).splitlines()
    assert not any("best of all" in line and "worst of all" in line for line in lines)
    assert sum("worst of all" in line for line in lines) == 1


@pytest.mark.parametrize("width", [50, 60, 80, 100])
def test_it_fits(width):
    long = made(best=(shown("word " * 500), shown("x" * 100_000)), worst=(shown("あ" * 900),))
    long = replace(long, numbers={**long.numbers, "reward.a component with a long name": long["gold"]})
    for line in terminal(audited(long), width=width).splitlines():
        assert measure_width(line) <= width, line


def test_both_ends_of_a_long_text_are_kept():
    long = made(best=(shown("Begin " + "middle " * 800 + "the end"),))
    for width in (60, 100):
        text = unwrapped(terminal(audited(long), width=width))
        assert "Begin" in text
        assert "the end" in text


def test_without_unicode_it_is_ascii():
    assert terminal(audited(made(best=(shown("größe あ → … " * 99),)), verifier=verifier()), unicode=False).isascii()


def test_an_empty_completion_is_called_so():
    assert "(empty)" in terminal(audited(made(worst=(shown(" \n"),))))
    assert "(empty)" in markdown(audited(made(worst=(shown(""),))))


def test_samples_that_say_nothing_are_shown_all_the_same():
    bare = Samples.of("bare", length=[3.0, 4.0])
    result = Audited(Diagnosis(target="bare", verdict=Verdict.UNCLEAR), replace(bare, random=(shown("only"),)))
    text = terminal(result)
    assert text.startswith("UNCLEAR  none of 0 rules could judge")
    assert "only" in text
    assert "No trends" in text
    document = data(result)
    assert (document["tables"]["groups"], document["tables"]["trends"]) == (None, [])
    assert markdown(result).startswith("## UNCLEAR")


def test_why_it_is_unclear():
    calm = Diagnosis(target="x", verdict=Verdict.UNCLEAR, clean=tuple(f"LLM30{n}" for n in range(9)))
    without = Samples.of("x", reward=[1.0])
    assert "no row says what is really good" in unwrapped(terminal(Audited(calm, without)))
    cut = Audited(calm, Samples.of("x", gold=[1.0]), stopped=True)
    assert "stopped before all was read" in unwrapped(terminal(cut))
    few = Audited(calm, Samples.of("x", gold=[1.0]))
    assert "too few to call it healthy" in unwrapped(terminal(few))


def test_a_verifier_alone():
    result = Audited(Diagnosis(target="grader.py:reward", verdict=Verdict.HEALTHY, clean=("LLM314",)), None, verifier())
    text = terminal(result)
    assert text.startswith("HEALTHY  nothing is broken in the 1 of 1 rule that could judge\ngrader.py:reward\n")
    assert "tells right from wrong in 8 of 9 cases (maths)" in text
    assert "Samples" not in text
    document = data(result)
    assert (document["samples"], document["tables"]) == (None, None)
    assert document["verifier"]["kinds"][1] == {
        "family": "attack", "kind": "every option", "attempts": 1, "failed": 0, "lowest": 1.0, "highest": 1.0,
    }  # fmt: skip
    assert "| `every option` | 1 | 100 % | 100 % |" in markdown(result)


def test_a_verifier_with_something_worth_knowing():
    told = Finding(message="It takes 42.0 and not 42,0.", code="LLM315", name="blind-verifier", level=Level.INFO)
    calm = Diagnosis(target="grader.py:reward", verdict=Verdict.UNCLEAR, findings=(told,), clean=("LLM314",))
    text = unwrapped(terminal(Audited(calm, None, verifier())))
    assert text.startswith("UNCLEAR nothing is broken in the 2 of 2 rules that could judge; what was found is worth")
    assert "too few" not in text


# -- data


def test_the_contract():
    document = data(audited())
    assert list(document)[: len(PROMISED)] == PROMISED
    assert document["command"] == "audit"
    assert document["first_break"] == {"link": "reward", "code": "LLM302", "step": 110}
    assert all(list(one) == OF_A_FINDING for one in document["findings"])
    samples = document["samples"]
    assert (samples["rows"], samples["used"], samples["faulty"]) == (320, 320, 1)
    assert samples["faults"] == ["row 7: reward must be a number, not 'x'"]
    assert samples["unused_fields"] == ["custom", "odd"]
    assert samples["high_reward"][0] == {
        "prompt": "What is 2 + 2?", "completion": "best of all", "step": 40.0, "reward": 0.9, "outcome": 0.0,
        "rewards": {}, "row": 17,
    }  # fmt: skip
    assert samples["low_reward"][0]["completion"] == "worst of all"
    assert samples["random"][0]["outcome"] is None
    assert samples["partings"][0]["shared"] == ["search", "open"]
    assert document["verifier"] is None
    assert document["stopped"] is False


def test_the_numbers_are_those_that_are_drawn():
    result = audited()
    found = data(result)["tables"]
    assert set(found) == {
        "rows", "used", "unit", "outcome", "components", "trends", "groups", "leanings", "peak",
    }  # fmt: skip
    assert found["outcome"] == "gold"
    assert [one["name"] for one in found["components"]] == ["reward", "right", "style"]
    first = found["leanings"][0]
    text = unwrapped(terminal(result))
    assert f"{first['feature']} {first['raw']:+.2f} {first['at_equal_outcome']:+.2f}" in text
    length = next(one for one in found["trends"] if one["name"] == "length")
    assert len(length["steps"]) == len(length["values"]) == 20
    assert length["start"] < length["end"]
    assert found["groups"]["count"] == 40
    assert found["peak"]["reward_at_end"] > found["peak"]["reward_there"]


def test_a_text_of_any_size_is_cut():
    document = data(audited(made(best=(shown("x" * 1_000_000),))))
    assert len(document["samples"]["high_reward"][0]["completion"]) <= 4000


# -- Markdown


def test_everything_is_there_in_markdown_too():
    text = markdown(audited(verifier=verifier()))
    assert text.startswith("## BROKEN: reward, LLM302 length-inflation, from step 110\n\n`runs/made.jsonl`, 320 rows")
    for part in (
        "### LLM302 length-inflation (warn, high confidence)",
        "| high reward | low reward | at random |",
        "`best of all` | reward 0.1, gold 0, step 40, row 17<br>`What is 2 + 2?`<br>`worst of all`",
        "**What is paid**",
        "| `style` |",
        "**What the reward follows**",
        "**By training step**",
        "| `length` |",
        "- 40 groups of 8 rows",
        "| `book a flight` | after search",
        "**Verifier grader.py:reward**",
        "| `upper case` | 1 | 0 % | 0 % |",
        "| `human_score` | lets 1 more rule judge: what a human gave |",
        "- fields not used: custom, odd.",
    ):
        assert part in text, part


# -- whatever comes from a file


def hostile() -> Audited:
    nasty = (
        HOSTILE
        + "<script>alert(1)</script> \u202eright to left\u2066 \x07\x00 @somebody https://x.example\r\n| a | b |"
    )
    one = shown(nasty, prompt=nasty, rewards={nasty: 1.0})
    samples = made(
        name=nasty,
        source=nasty,
        best=(one,) * 3,
        worst=(one,) * 3,
        random=(one,) * 3,
        partings=(
            TrajectoryParting(task=nasty, shared=(nasty,), successful=nasty, failed=nasty, successes=1, failures=1),
        ),
        faults=(nasty,),
        unknown=(nasty,),
    )
    numbers = {**samples.numbers, f"reward.{nasty}": samples["gold"], f"style.{nasty}": samples["gold"]}
    samples = replace(samples, numbers=numbers, baseline=Samples.of(nasty, reward=[1.0]))
    diagnosis = diagnosed(target=nasty, notes=(nasty,), wishes=(MetricWish(nasty, ("LLM301",), nasty),))
    check = verifier()
    attempts = tuple(
        VerifierAttempt(**{**{f: getattr(one, f) for f in one.__struct_fields__}, "kind": nasty})
        for one in check.attempts
    )
    return Audited(diagnosis, samples, VerifierCheck(name=nasty, style=nasty, attempts=attempts, notes=(nasty,)))


@pytest.mark.parametrize("width", [50, 100])
def test_nothing_reaches_the_terminal_raw(width):
    text = terminal(hostile(), width=width)
    for character in "\x1b\u202e\u2066\x07\x00\r":
        assert character not in text
    text.encode()


def test_nothing_is_read_as_markdown():
    text = markdown(hostile())
    outside = re.sub(r"(`+).*?(?<!`)\1(?!`)", "", text).replace("<br>", "")
    assert "<script" not in outside.replace("\\<", "")
    assert not re.search(r"(?<!\\)\[link", outside)
    for character in "\x1b\u202e\u2066\x07\x00\r":
        assert character not in text
    tables = [row for row in text.splitlines() if row.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in tables} <= {3, 4, 5, 6}
    side_by_side = tables[tables.index("| high reward | low reward | at random |") :][:5]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in side_by_side} == {4}
    text.encode()


def test_hostile_texts_are_valid_json():
    document = data(hostile())
    assert "<script>" in document["samples"]["high_reward"][0]["completion"]
    json.dumps(document).encode("ascii")


# -- columns


def test_words_that_are_too_long_are_broken():
    assert list(wrap_text("ab abcdefgh c", 3)) == ["ab", "abc", "def", "gh", "c"]
    assert all(measure_width(line) <= 7 for line in wrap_text("あいうえお かきくけこ plain", 7))


def test_breadth_counts_columns_of_a_terminal():
    assert measure_width("abc") == 3
    assert measure_width("あ") == 2
    assert measure_width("e\u0301") == 1


def test_a_huge_text_costs_little():
    assert tidy("\x00" * 1_000_000, 50) == "…"
    assert "\x1b" not in tidy("\x1b[31m" * 1_000_000, 50)
    assert tidy("a\n\nb\tc", 50) == "a b c"
