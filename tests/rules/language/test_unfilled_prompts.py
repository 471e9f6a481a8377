from __future__ import annotations

import numpy as np
import pytest

from tests.sampled import Training
from weaklink.collect.samples.prompts import is_unfilled
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM324")


def sick():
    t = Training()
    blank = (t.rng.random(t.steps * t.prompts) < 0.1)[t.group] * 1.0
    return [
        t.samples(unfilled_prompt=np.ones(t.rows)),
        t.samples(unfilled_prompt=blank),
        t.samples(step=None, group=None, unfilled_prompt=t.chance(0.5)),
    ]


def healthy():
    t = Training()
    return [
        t.samples(unfilled_prompt=np.zeros(t.rows)),
        # a few that are about something else
        t.samples(unfilled_prompt=(t.group < 3) * 1.0),
    ]


@pytest.mark.parametrize(
    "prompt",
    [
        "Solve this: {problem}",
        "<|im_start|>user\n{{ user_input }}<|im_end|>",
        "Read ${passage} and reply.",
        "Context: {{doc.text}}\nQuestion: who?",
        "Question: None\nThink first.",
        "Summarise <<article>> in a line.",
        "[INSERT QUESTION HERE]",
        "<|im_start|>user\n<|im_end|>\n<|im_start|>assistant\n",
        "<start_of_turn>user\n<end_of_turn>\n<start_of_turn>model\n",
    ],
)
def test_templates_that_nobody_filled_in(prompt):
    assert is_unfilled(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "What is {1, 2} without {2}?",
        "Simplify \\text{input} + \\frac{1}{2}.",
        "Why does the template {{ question }} stay empty?",
        "Fix it:\n```\nprint(f'{text}')\n```",
        'Reply as {"question": "...", "answer": "..."}.',
        "Tell <b>me</b> about [Bergen](https://example.org).",
        "<|im_start|>user\nHow tall is it?<|im_end|>",
        "Is None a word?",
        "",
    ],
)
def test_prompts_that_ask_something(prompt):
    assert not is_unfilled(prompt)
