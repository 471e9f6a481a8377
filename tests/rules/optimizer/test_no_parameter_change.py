from __future__ import annotations

from typing import Any

from tests.models import network
from tests.rollouts import look
from weaklink.base.evidence.rollout import WeightMovement
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT201")
STILL = {"changed": 0.0}


def moved(parameters: Any = None, steps: int = 40, rate: float | None = 3e-4, **more: Any):
    weights = network() if parameters is None else parameters
    return look(movement=WeightMovement(parameters=weights, optimizer_steps=steps, learning_rate=rate, **more))


def sick():
    return [
        moved(network(net=STILL)),
        moved(network(net=STILL), steps=1),
        moved(network(net=STILL | {"gradient": None})),
        moved(network(net=STILL), rate=0.0),  # worth knowing
        moved(network(value_net={"in_optimizer": False, "changed": 0.0})),
        moved(network(features_extractor={"gradient": None, "changed": 0.0})),
        moved(network(features_extractor={"gradient": None, "changed": 0.0, "used": None})),
        moved(network(action_net=STILL)),
        moved(network(net={"trainable": False})),
        moved(network(value_net={"in_optimizer": False, "changed": 0.0}), steps=1, all_optimizers=True),
        moved(network(features_extractor={"gradient": None, "changed": 0.0}), steps=1, all_optimizers=True),
    ]


def healthy():
    return [
        moved(),
        moved(steps=0),
        moved(network(features_extractor={"trainable": False, "gradient": None, "changed": 0.0})),  # frozen on purpose
        moved(network(value_net={"excused": "vf_coef is 0", "gradient": None, "changed": 0.0})),
        moved(network(action_net={"gradient": None, "changed": 0.0}), steps=1),  # a delayed policy
        moved(network(value_net={"in_optimizer": False, "changed": 0.0}), steps=1),  # another optimizer may hold them
        moved(
            network(action_net={"gradient": None, "changed": 0.0, "used": None}), steps=1, all_optimizers=True
        ),  # whether it is used now is not known
        moved(network(bias={"gradient": 0.0, "changed": 0.0})),  # biases before a normalising layer
        moved(network(action_net={"gradient": None, "changed": 0.0, "used": False})),
        moved(network(net={"changed": None, "in_optimizer": None})),
        moved(network(net={"changed": float("nan")})),
        moved(()),
    ]


def test_words_and_levels():
    answers = [RULE.ask(case) for case in sick()]
    assert "moved none" in answers[0].message
    assert "no gradient arrives" in answers[2].message
    assert (answers[3].level, answers[0].level) == (Level.INFO, Level.ERROR)
    assert "no optimizer holds them: mlp_extractor.value_net.0, value_net" in answers[4].message
    assert "never get a gradient: features_extractor.net.0" in answers[5].message
    assert (answers[5].level, answers[6].level) == (Level.ERROR, Level.WARN)
    assert "frozen" in answers[8].message


def test_no_step_proves_nothing():
    assert isinstance(RULE.ask(moved(network(net=STILL), steps=0)), CannotTell)
