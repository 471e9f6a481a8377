from __future__ import annotations

import numpy as np
import pytest

from tests.sampled import Training
from weaklink.collect.readers.samples import make_sample


def sick():
    t = Training()
    return [t.samples(reference_gap=np.zeros(t.rows))]


def healthy():
    t = Training()
    short = Training(steps=2)
    return [
        # it leaves its reference
        t.samples(reference_gap=t.share(t.ramp(0.001, 0.1), 0.0005)),
        # the reference is renewed at every tenth step
        t.samples(reference_gap=np.where(t.step % 100 == 0, 0.0, 0.02)),
        # only the start was written down
        short.samples(reference_gap=np.zeros(short.rows)),
    ]


def read(**fields) -> float | None:
    return make_sample({"prompt": "What?", "completion": "It is 7.", "reward": 1.0} | fields).reference_gap


@pytest.mark.parametrize("name", ["ref_logprobs", "base_action_log_probs", "ref_log_prob", "reference_logps"])
def test_the_gap_to_the_reference_is_read(name):
    own = {"logprobs": [-0.1, -0.5, -0.2]}
    assert read(**own, **{name: [-0.1, -0.5, -0.2]}) == 0.0
    assert read(**own, **{name: [-0.1, -0.8, -0.2]}) == pytest.approx(0.1)


def test_what_is_no_reference():
    assert read(logprobs=[-0.1, -0.5]) is None
    assert read(logprobs=[-0.1, -0.5], ref_logprobs=[-0.1]) is None
    assert read(logprobs=[-0.1, -0.5], prefix_logprobs=[-0.1, -0.5]) is None
    assert read(logprobs=[-0.1, -0.5], top_logprobs=[-0.1, -0.5]) is None
    # a sampler and a trainer are no reference
    assert read(logprobs=[-0.1, -0.5], old_logprobs=[-0.1, -0.5]) is None
