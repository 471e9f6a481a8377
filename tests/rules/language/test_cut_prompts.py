from __future__ import annotations

from tests.sampled import Training
from weaklink.base.evidence.samples import Sample
from weaklink.collect.samples.gathering import gather
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM337")
TEXT = "The port of Cork moved goods. The work is done by night. Nobody was hurt there. The vote was close. "


def sick():
    t = Training()
    return [t.samples(cut_prompt=(t.group % 2).astype(float))]


def healthy():
    t = Training()
    return [t.samples(cut_prompt=t.chance(0.0))]


def prompts(cap: int, *, end: str = "?"):
    """Texts of many lengths with a question, all cut at so many characters."""
    for row in range(200):
        text = f"{row}: {TEXT * (2 + row % 5)}{'More of it came later. ' * (row % 7)}What does report {row} say{end}"
        yield Sample(prompt=text[:cap].rstrip(), completion="It says a lot.", step=float(row // 10))


def test_prompts_that_a_limit_cut():
    found = gather(prompts(400), "cut")
    assert found["cut_prompt"].mean() > 0.1
    assert any("break off" in note for note in found.notes)


def test_prompts_without_full_stop_are_whole():
    assert "cut_prompt" not in gather(prompts(10_000), "whole")
    assert "cut_prompt" not in gather(prompts(10_000, end=""), "whole")
