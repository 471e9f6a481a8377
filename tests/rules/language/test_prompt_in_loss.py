from __future__ import annotations

import pytest

from tests.sampled import Training
from weaklink.collect.readers.samples import make_sample


def sick():
    t = Training()
    return [t.samples(trains_on_prompt=t.chance(0.999)), t.samples(trains_on_prompt=t.chance(t.ramp(0.0, 0.5)))]


def healthy():
    t = Training()
    return [
        t.samples(trains_on_prompt=t.chance(0.0)),
        t.samples(trains_on_prompt=t.chance(0.01)),
        t.samples(trains_on_prompt=t.chance(t.ramp(0.6, 0.0))),
    ]


def read(mask: list[int], name: str = "loss_mask", **fields) -> bool | None:
    told = {"completion": "It is 7.", "prompt_length": 3, "response_length": 4, name: mask} | fields
    return make_sample(told).trains_on_prompt


@pytest.mark.parametrize("name", ["loss_mask", "response_mask", "completion_mask", "action_mask"])
def test_a_mask_over_both(name):
    assert read([1] * 7, name) is True
    assert read([0, 0, 0, 1, 1, 1, 1], name) is False


def test_masks_that_do_not_tell():
    assert read([1] * 7, "attention_mask") is None
    # of the completion alone, and padded
    assert read([1] * 4) is None
    assert read([0, 0, 0, 1, 1, 1, 1, 0, 0]) is None
    assert read([1] * 7, prompt_length=None) is None
