from __future__ import annotations

import pytest

from tests.sampled import Training
from weaklink.collect.samples.structure import mixes_templates

CHATML = "<|im_start|>user\nWhat is 2 + 3?<|im_end|>\n<|im_start|>assistant\n"


def sick():
    t = Training()
    return [t.samples(mixed_template=t.chance(0.6)), t.samples(step=None, mixed_template=t.chance(0.2))]


def healthy():
    t = Training()
    return [t.samples(mixed_template=t.chance(0.0)), t.samples(mixed_template=t.chance(0.02))]


@pytest.mark.parametrize(
    "prompt",
    [
        "<s>[INST] <|im_start|>user\nWhat is 2 + 3?<|im_end|> [/INST]",
        CHATML + "<|im_start|>assistant\n",
        # the tokenizer adds a beginning to one that the template has set
        "<|begin_of_text|><|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>",
        "<s> <s>[INST] Hello [/INST]",
        "<start_of_turn>user\n<|im_start|>user\nHello<|im_end|><end_of_turn>",
        # a text that was formatted already, as the turn of a user
        f"<|im_start|>user\n{CHATML}<|im_end|>\n<|im_start|>assistant\n",
        "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n<|begin_of_text|><|start_header_id|>system"
        "<|end_header_id|>\n\nBe kind.<|eot_id|>",
    ],
)
def test_two_templates_in_one_prompt(prompt):
    assert mixes_templates(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "What is 2 + 3?",
        CHATML,
        "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>",
        "Strike out <s>old</s> and <s>older</s> prices.",
        "<s>[INST] <<SYS>>\nBe kind.\n<</SYS>>\n\nHello [/INST]",
        # several turns of one conversation
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello!<|im_end|>\n" + CHATML,
        "How does the chat template of Llama ([INST]) differ from <|im_start|>?",
    ],
)
def test_one_template(prompt):
    assert not mixes_templates(prompt)
