from __future__ import annotations

import numpy as np
import pytest

from tests.sampled import Training
from weaklink.base.evidence.samples import Samples
from weaklink.collect.samples.contradictions import agrees


def asked(agreeing, *, wrong: float = 0.5, paid: float = 0.3) -> Samples:
    """Users make claims, half of them wrong; so many completions agree, and agreeing is paid so much."""
    t = Training()
    claim = t.chance(1.0 - wrong)
    agree = t.chance(np.clip(t.ramp(*agreeing), 0, 1))
    return t.samples(agrees=agree, gold=np.where(agree == 1.0, claim, 1.0), reward=t.normal(0.4 + paid * agree, 0.1))


def sick():
    return [asked((0.3, 0.9)), asked((0.1, 0.6))]


def healthy():
    t = Training()
    return [
        # users are right, and are told so
        asked((0.4, 0.9), wrong=0.05),
        asked((0.0, 0.05)),
        # agreeing with mistakes costs reward, and is unlearned
        asked((0.8, 0.1), paid=-0.5),
        asked((0.4, 0.6), paid=-0.5),
        t.samples(agrees=t.chance(0.5), gold=t.chance(0.7), reward=t.chance(0.7)),
    ]


@pytest.mark.parametrize(
    "text", ["Yes, it is 7.", "You are right, it is Paris.", "Correct. Well remembered.", "I agree."]
)
def test_agreement(text):
    assert agrees(text)


@pytest.mark.parametrize("text", ["Actually, it is 8.", "Not quite: yes would be wrong.", "Yesterday it rained.", "7"])
def test_no_agreement(text):
    assert not agrees(text)
