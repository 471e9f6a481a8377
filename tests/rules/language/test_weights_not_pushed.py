from __future__ import annotations

import pytest

from weaklink.base.evidence.rollout import Rollout, SamplerLogProbs
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM202")


def pushed(checksums, moved):
    return Rollout(step=3, update=3, sampler=SamplerLogProbs(checksums=checksums, trainer_moved=moved))


def sick():
    return [
        # verl#7495: the norm that was pushed is the norm on disk
        pushed((75.377708, 75.377708, 75.377708), (1e-4, 1e-4)),
        # trl#5312: the first pushes arrive, later ones do not
        pushed((1.0, 2.0, 3.0, 3.0, 3.0), (1e-4, 1e-4, 1e-4, 1e-4)),
        # a warm-up that starts at zero moves nothing at first
        pushed((1.0, 1.0, 1.0, 1.0), (0.0, 1e-6, 1e-6)),
    ]


def healthy():
    return [
        pushed((1.0, 2.0, 3.0), (1e-4, 1e-4)),
        pushed((1.0, 1.0, 3.0), (1e-4, 1e-4)),
        # one push late, as asynchronous training has it
        pushed((1.0, 2.0, 2.0, 3.0, 3.0), (1e-4, 1e-4, 1e-4, 1e-4)),
        pushed((1.0, 1.0, 1.0), (0.0, 0.0)),
        pushed((1.0, 1.0), (1e-4,)),
        pushed((), ()),
    ]


def test_counts_the_updates_that_did_not_arrive():
    assert "over 2 updates" in RULE.ask(sick()[1]).message


@pytest.mark.parametrize("at", [-3, -2, -1])
def test_without_moves_it_cannot_tell(at):
    assert isinstance(RULE.ask(healthy()[at]), CannotTell)
