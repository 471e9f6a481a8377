from __future__ import annotations

import numpy as np

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


SENTENCES = (
    "Nobody was hurt there", "The vote was close", "Repairs are expected until autumn", "It rained for two days",
    "The birds came back early", "A new bridge will open soon", "Most shops stayed closed", "The old mill burned down",
)  # fmt: skip


def headless(cap: int, start: str = "", rows: int = 200):
    """The ends of texts, of so many characters."""
    rng = np.random.default_rng(0)
    for row in range(rows):
        text = ". ".join(rng.choice(SENTENCES, 12 + row % 5)) + f". That was in {1800 + row}."
        yield Sample(prompt=(start + text)[-cap:], completion="It says a lot.", step=float(row // 10))


def test_prompts_that_a_limit_cut_from_the_left():
    found = gather(headless(200), "cut")
    assert "headless_prompt" in found
    assert "beginning of the prompts is cut off" in RULE.ask(found).message


def test_prompts_without_capitals_are_whole():
    # of many lengths, of one template, and with capitals
    assert "headless_prompt" not in gather(headless(10_000, "summarise this text for me. "), "whole")
    few = (
        Sample(prompt=f"read this. The town has {row} trees. It is old. " * 5, completion="Yes.") for row in range(99)
    )
    assert "headless_prompt" not in gather(few, "one template")
    assert "headless_prompt" not in gather(headless(10_000), "whole")
