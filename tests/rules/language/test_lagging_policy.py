from __future__ import annotations

import numpy as np

from tests.sampled import Training
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM321")


def versions(behind, scale=1.0, resumed=0.0):
    """Versions so many steps behind, of a training with steps 0 to 195, or so many later ones."""
    t = Training(steps=40, prompts=5, size=2)
    step = t.step / 2
    late = behind(step / step[-1]) + t.rng.integers(0, 2, t.rows)
    return t.samples(step=step + resumed, policy_version=np.maximum(np.floor(scale * (step - late)), 0))


def sick():
    return [
        versions(lambda place: 80 * np.maximum(place - 0.2, 0)),
        # the sampler stopped taking weights half way
        versions(lambda place: np.maximum(195 * place - 100, 0)),
        versions(lambda place: np.where(place > 0.5, 40, 0)),
    ]


def healthy():
    return [
        versions(lambda place: 0 * place),
        # an asynchronous training that stays within its bound
        versions(lambda place: 6 + 0 * place),
        # versions are counted from a restart on
        versions(lambda place: 0 * place, resumed=1000.0),
        # versions count pushes of weights, one every fourth or second step
        versions(lambda place: 0 * place, scale=0.25),
        versions(lambda place: 0 * place, scale=0.5),
        # versions count minibatches
        versions(lambda place: 0 * place, scale=4.0),
    ]


def test_versions_in_other_units_do_not_tell():
    assert [isinstance(RULE.ask(samples), CannotTell) for samples in healthy()[3:]] == [True, True, True]


def test_the_message_counts_the_steps():
    finding = RULE.ask(sick()[2])
    assert "40 steps behind" in finding.message or "41 steps behind" in finding.message
    assert 95 <= finding.onset <= 105
