from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM306")


def sick():
    t = Training()
    right, human = t.chance(0.5, hardness=1.0), t.share(0.5 - 0.1 * t.hardness, 0.2)
    lists, praise = np.floor(np.exp(t.normal(0.5, 1.0))), t.rng.poisson(1.0, t.rows) * 1.0
    lone = Training(steps=40, prompts=30, size=1)
    bold = lone.rng.poisson(2.0, lone.rows) * 1.0
    return [
        t.samples(gold=right, style__list_items=lists, reward=0.3 * right + 0.25 * np.log1p(lists) + t.normal(0, 0.1)),
        t.samples(human_score=human, style__praise=praise, reward=t.share(0.2 + 0.3 * human + 0.2 * praise)),
        # one component is a judge's
        t.samples(gold=right, style__praise=praise, reward=5 * right, reward__helpfulness=t.share(0.2 + 0.2 * praise)),
        # one completion a prompt
        lone.samples(gold=lone.chance(0.5), style__bold=bold, reward=0.3 * bold + lone.normal(0, 0.3)),
    ]


def healthy():
    t = Training()
    right, quality = t.chance(0.5, hardness=1.0), t.share(0.5 - 0.1 * t.hardness, 0.2)
    lists = np.floor(np.exp(t.normal(0.5, 1.0)))
    length = t.lengths(100 + 20 * lists, 0.1)
    form = t.chance(0.5)
    silent = (1.0 - right) * t.chance(0.3)
    return [
        t.samples(gold=right, style__list_items=lists, reward=right),
        # a style that good answers have, as people see too
        t.samples(
            human_score=t.share(quality),
            style__list_items=np.floor(np.exp(t.normal(2 * quality, 0.6))),
            reward=t.share(quality),
        ),
        # length is paid for, which another rule tells
        t.samples(gold=right, style__list_items=lists, length=length, reward=right + np.log1p(length)),
        # form is paid for openly
        t.samples(gold=right, style__headings=form * (1 + t.chance(0.5)), reward__format=form, reward=right + form),
        # a style that hardly any has
        t.samples(gold=right, style__emojis=t.chance(0.005), reward=right + t.normal(0, 0.1)),
        # saying that one does not know is paid between right and wrong
        t.samples(gold=right, style__hedges=silent, abstains=silent, reward=2.0 * right - 1.0 + silent),
        # paid less for it
        t.samples(gold=right, style__list_items=lists, reward=right - 0.3 * np.log1p(lists)),
    ]


def test_names_the_style_and_the_judge():
    assert "reward.helpfulness follows praise" in RULE.ask(sick()[2]).message


def test_without_style_it_cannot_tell():
    t = Training()
    assert isinstance(RULE.ask(t.samples(gold=t.chance(0.5), reward=t.chance(0.5))), CannotTell)
