from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.evidence.rollout import Rollout, SamplerLogProbs
from weaklink.base.finding import HIGH, MEDIUM, CannotTell
from weaklink.base.reference.divergences import log_softmax
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM201")
ROWS, TOKENS = 4, 24


def scored(temperature=1.0):
    """Log-probabilities of drawn tokens at a temperature."""
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 3, (ROWS, TOKENS, 50))
    chosen = rng.integers(0, 50, (ROWS, TOKENS, 1))
    return np.take_along_axis(log_softmax(logits / temperature), chosen, -1)[..., 0]


def noisy(values, size, seed=1):
    return values + np.random.default_rng(seed).normal(0, size, values.shape)


def seen(sampled, trained, **parts):
    return Rollout(step=0, update=1, sampler=SamplerLogProbs(sampled=sampled, trained=trained, **parts))


def untempered_trainer():
    return seen(scored(0.6), scored(), untempered=scored(), temperature=0.6)


def sick():
    right = scored()
    padded, first = right.copy(), right.copy()
    padded[:1] += 1.0
    first[:, :6] += 1.0
    return [
        untempered_trainer(),
        # the engine reports raw log-probabilities, with its own rounding on top
        seen(noisy(scored(), 0.015), scored(0.7), untempered=scored(), temperature=0.7, foreign=True),
        # below the limit for engines, but the missing temperature explains all of it
        seen(noisy(scored(0.98), 1e-5), scored(), untempered=scored(), temperature=0.98, foreign=True),
        seen(right, np.roll(right, 1, axis=1)),
        # minimind#814: one side rounded to 16 bits
        seen(noisy(right, 0.015), right, floor=1e-7),
        seen(padded, right),
        seen(first, right),
        seen(noisy(right, 0.3), right, floor=1e-3, foreign=True),
    ]


def healthy():
    right, mask = scored(), np.ones((ROWS, TOKENS), bool)
    mask[:, 12:] = False
    outside = right.copy()
    outside[:, 12:] = 0.0
    nothing = np.full_like(right, np.nan)
    return [
        seen(right, right),
        seen(noisy(right, 1e-6), right, floor=1e-7),
        seen(scored(0.6), scored(0.6), untempered=scored(), temperature=0.6),
        seen(outside, right, mask=mask),
        # verl-omni#280 and SkyRL#1408: what matched and unmatched stacks show
        seen(noisy(right, 2e-5), right),
        seen(noisy(right, 0.03), right, foreign=True),
        seen(noisy(scored(0.7), 0.02), scored(0.7), untempered=scored(), temperature=0.7, foreign=True),
        # dropout is on: two evaluations of one model differ as much
        seen(noisy(right, 0.1), right, floor=0.1),
        seen(noisy(right, 0.02), right, floor=0.004),
        seen(nothing, right),
        seen(right, None),
        Rollout(step=0, update=1, sampler=SamplerLogProbs(checksums=(1.0, 2.0), trainer_moved=(0.1,))),
    ]


@pytest.mark.parametrize(
    ("at", "said", "confidence"),
    [
        (0, "the trainer's are those without the temperature of 0.6", HIGH),
        (1, "the sampler's are those without the temperature of 0.7", HIGH),
        (2, "the trainer's are those without the temperature of 0.98", HIGH),
        (3, "the trainer's are shifted by one token", HIGH),
        (4, "most tokens differ", MEDIUM),
        (5, "1 of 4 rows carry all of it", MEDIUM),
        (6, "25% of the tokens differ", MEDIUM),
    ],
)
def test_names_the_cause(at, said, confidence):
    answer = RULE.ask(sick()[at])
    assert said in answer.message
    assert answer.confidence == confidence


@pytest.mark.parametrize("at", [-3, -2, -1])
def test_without_both_sides_it_cannot_tell(at):
    assert isinstance(RULE.ask(healthy()[at]), CannotTell)
