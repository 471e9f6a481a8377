from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM332")


def epochs(t: Training, prompts: int = 30) -> np.ndarray:
    """Prompts that come back in every epoch."""
    return t.group % prompts


def fixed(t: Training, prompt: np.ndarray) -> np.ndarray:
    """The texts of a set: each prompt has as many as a draw, the same in every epoch."""
    return prompt * 1000 + np.tile(np.arange(t.size), t.steps * t.prompts)


def sick():
    t = Training()
    prompt = epochs(t)
    half = np.where(t.chance(0.5), fixed(t, prompt), 10**6 + np.arange(t.rows))
    single = Training(steps=60, prompts=10, size=1)
    return [
        # one completion a draw, short and always the same
        single.samples(prompt=epochs(single, 200), text=epochs(single, 200), length=single.lengths(14, 0.1)),
        t.samples(prompt=prompt, text=fixed(t, prompt), length=t.lengths(60)),
        t.samples(prompt=prompt, text=half, length=t.lengths(60)),
    ]


def draw_queries(t: Training, prompts: int, ways: int) -> np.ndarray:
    """Short texts that have a few ways to be right: any of them as likely."""
    return t.group % prompts * 100 + t.rng.integers(0, ways, t.rows)


def healthy():
    t, single = Training(), Training(steps=20, prompts=14, size=1)
    prompt, alone = epochs(t), np.arange(t.rows)
    return [
        t.samples(prompt=prompt, text=alone, length=t.lengths(60)),
        # a policy that became certain: all completions of a draw are one text, as in the epoch before
        t.samples(prompt=prompt, text=prompt, length=t.lengths(60)),
        # one word, which is the same by chance
        t.samples(prompt=prompt, text=prompt * 10 + t.rng.integers(0, 3, t.rows), length=np.ones(t.rows)),
        # a dozen phrases that all prompts get
        t.samples(prompt=prompt, text=t.rng.integers(0, 12, t.rows), length=t.lengths(20)),
        # no prompt comes back
        t.samples(prompt=t.group, text=fixed(t, t.group), length=t.lengths(60)),
        # queries of a dozen words that have few ways to be right: within a draw as across draws
        t.samples(prompt=prompt, text=draw_queries(t, 30, 12), length=t.lengths(14, 0.1)),
        # the same, one a draw
        single.samples(
            prompt=single.group % 200, text=draw_queries(single, 200, 3), length=single.lengths(14, 0.1), group=None
        ),
        # some sentences are the usual answer
        t.samples(prompt=prompt, text=np.where(t.chance(0.15), prompt, alone + 100), length=t.lengths(30)),
    ]


def test_without_prompts_that_return_it_cannot_tell():
    t = Training()
    assert isinstance(RULE.ask(t.samples(prompt=t.group, text=t.group, length=t.lengths(60))), CannotTell)
