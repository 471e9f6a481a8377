from __future__ import annotations

import pytest

from tests.sampled import Training
from weaklink.collect.samples.structure import has_padding


def sick():
    t = Training()
    return [t.samples(padding=t.chance(0.6)), t.samples(padding=t.chance(t.ramp(0.0, 0.5)))]


def healthy():
    t = Training()
    return [
        t.samples(padding=t.chance(0.0)),
        t.samples(padding=t.chance(0.01)),
        # mended during training
        t.samples(padding=t.chance(t.ramp(0.5, 0.0))),
    ]


@pytest.mark.parametrize(
    "text",
    ["It is 7.</s><pad><pad>", "It is 7.<|endoftext|><|endoftext|>", "[PAD][PAD] It is 7.", "7<|im_end|>\n<|im_end|>"],
)
def test_padding_in_a_text(text):
    assert has_padding(text)


@pytest.mark.parametrize("text", ["It is 7.", "It is 7.<|im_end|>", "It is 7.</s>", "<p>A page</p> with <b>tags</b>"])
def test_a_single_end_is_none(text):
    assert not has_padding(text)
