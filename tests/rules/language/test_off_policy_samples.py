from __future__ import annotations

import pytest

from tests.sampled import Training
from weaklink.collect.readers.samples import make_sample


def sick():
    t = Training()
    return [
        t.samples(sampler_gap=t.normal(0.5, 0.1)),
        # ever further behind
        t.samples(sampler_gap=t.ramp(0.01, 0.9)),
    ]


def healthy():
    t = Training()
    return [
        # rounding of another engine, and updates on a batch that was sampled a few steps ago
        t.samples(sampler_gap=t.share(0.01, 0.005)),
        t.samples(sampler_gap=t.share(0.1, 0.03)),
        # mended during training
        t.samples(sampler_gap=t.ramp(0.9, 0.01)),
    ]


def row(**fields) -> dict[str, object]:
    return {"prompt": "How many?", "completion": "It is 7.", **fields}


@pytest.mark.parametrize(
    "fields",
    [
        {"rollout_log_probs": [-0.1, -0.5], "actor_log_probs": [-0.6, -1.0]},
        {"old_logprob_mean": -0.4, "logprob_mean": -0.9},
        {"old_logps": -0.4, "new_logps": -0.9},
    ],
)
def test_two_sides_of_the_same_tokens_are_compared(fields):
    assert make_sample(row(**fields)).sampler_gap == pytest.approx(0.5)


@pytest.mark.parametrize(
    "fields",
    [
        {"logprobs": [-0.1, -0.5]},
        # another model, another length, a sum
        {"logprobs": [-0.1, -0.5], "ref_logprobs": [-2.1, -1.5]},
        {"rollout_logprobs": [-0.1, -0.5], "logprobs": [-0.1, -0.5, -3.0]},
        {"cumulative_logprob": -40.0, "logprob_mean": -0.4},
        # probabilities are no logarithms
        {"rollout_logprobs": [0.1, 0.5], "logprobs": [-0.1, -0.5]},
    ],
)
def test_what_is_not_of_the_same_tokens_is_not(fields):
    assert make_sample(row(**fields)).sampler_gap is None
