from __future__ import annotations

import numpy as np
import pytest

from tests.sampled import Training
from weaklink.collect.readers.samples import make_sample


def sick():
    t = Training()
    return [
        t.samples(masked_tail=t.share(0.5, 0.05)),
        t.samples(masked_tail=t.chance(0.5) * 0.3, token_places=t.lengths(80)),
    ]


def healthy():
    t = Training()
    return [
        t.samples(masked_tail=np.zeros(t.rows)),
        # the last token alone
        t.samples(masked_tail=np.full(t.rows, 0.02)),
        t.samples(masked_tail=t.chance(0.05) * 0.4),
        # padded to the longest of each step
        t.samples(masked_tail=t.share(0.5, 0.2), token_places=100.0 + t.step),
        # what a tool said last
        t.samples(masked_tail=t.share(0.5, 0.05), tool_calls=np.full(t.rows, 3.0)),
    ]


def read(mask: list[int], tokens: list[float]) -> float | None:
    row = {"prompt": "What?", "completion": "It is 7.", "response_mask": mask, "logprobs": tokens}
    return make_sample(row).masked_tail


def test_the_tail_without_loss_is_read():
    tokens = [-0.1, -0.2, -0.3, -0.4]
    assert read([1, 1, 0, 0], tokens) == pytest.approx(0.5)
    assert read([1, 1, 1, 1], tokens) == 0.0
    assert read([0, 0, 1, 1], tokens) == 0.0


def test_masks_that_mean_something_else():
    # the whole completion, on purpose; another length; padding, whose log-probabilities are one number
    assert read([0, 0, 0, 0], [-0.1, -0.2, -0.3, -0.4]) is None
    assert read([1, 1, 0, 0], [-0.1, -0.2]) is None
    assert read([1, 1, 0, 0], [-0.1, -0.2, 0.0, 0.0]) == 0.0
