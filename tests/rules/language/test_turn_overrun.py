from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.finding import CannotTell
from weaklink.collect.samples.turns import goes_on
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM318")

OVER = (
    "Repot in spring.<|im_end|>\n<|im_start|>user\nAnd in autumn?<|im_end|>\n<|im_start|>assistant\nNever.",
    "It is 4.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nWhy?",
    "It is 4.<end_of_turn>\n<start_of_turn>user\nWhy?",
    "It is 4. [INST] Now the next one [/INST] It is 5.",
    "Wipe the chain with a rag and oil it.\n\nHuman: And the brakes?\n\nAssistant: Clean the rims.",
    "Wipe the chain with a rag and oil it.\nuser\nAnd the brakes?\nassistant\nClean the rims.",
    "It is 4.</s> Once upon a time there was a number that nobody knew.",
)
FINE = (
    "It is 4.<|im_end|>",
    "It is 4.</s></s><pad><pad>",
    "It is 4.<|endoftext|>\n",
    "The price was <s>40</s> and is now 30 euros, which is a fair offer for it.",
    "<think>two and two</think><answer>4</answer>",
    "<tool_call>{}</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>4</tool_response><|im_end|>\n"
    "<|im_start|>assistant\nIt is 4.",
    "if a <b and c> d: return [1]",
    # a dialogue that was asked for
    "Human: Is it far?\nAssistant: Not at all.\nHuman: Good.\nAssistant: Let us go.",
    "The user asked the assistant for help.\nThe assistant: friendly as ever, replied at once.",
    "",
)


def sick():
    t = Training()
    return [
        t.samples(overrun=t.chance(t.ramp(0.01, 0.6))),
        t.samples(overrun=t.chance(0.3)),
        t.samples(step=None, overrun=t.chance(0.3)),
    ]


def healthy():
    t = Training()
    return [
        t.samples(overrun=np.zeros(t.rows)),
        # a few answers about templates
        t.samples(overrun=t.chance(0.02)),
        # whole conversations in one text
        t.samples(overrun=np.ones(t.rows)),
        # unlearned
        t.samples(overrun=t.chance(np.clip(t.ramp(0.6, -0.5), 0, 1))),
    ]


def test_texts_that_go_on_after_their_turn():
    assert [text for text in OVER if not goes_on(text)] == []
    assert [text for text in FINE if goes_on(text)] == []


def test_whole_conversations_are_not_judged():
    assert isinstance(RULE.ask(healthy()[2]), CannotTell)
