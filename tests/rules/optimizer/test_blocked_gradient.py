from __future__ import annotations

from tests.models import checked, network, parameter
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.finding import Finding, Level
from weaklink.judge.rules._registry import find_rule


def sick():
    return [
        checked(parameters=network(features={"gradient": None})),
        checked(parameters=network(features={"gradient": 0.0})),
        checked(parameters=network(value={"in_optimizer": False, "changed": 0.0})),
        checked(parameters=network(features={"trainable": False, "gradient": None})),
        checked(parameters=network(features={"gradient": None, "used": False})),
    ]


def healthy():
    target = parameter("critic_target.qf0.0.weight", gradient=None, in_optimizer=False, excused="target network")
    silenced = {"gradient": 0.0, "excused": "vf_coef is 0"}
    return [
        checked(),
        checked(parameters=(*network(), target)),
        checked(parameters=network(value={**silenced})),
        # a bias in front of a normalising layer has a gradient of zero by right; NaN did arrive
        checked(parameters=network(**{"features_extractor.net.0.bias": {"gradient": 0.0}})),
        checked(parameters=network(features={"gradient": float("nan")})),
        # where no optimizer was given, nobody can say that one is missing
        checked(parameters=network(net={"in_optimizer": None, "changed": None})),
        checked(parameters=None),
        checked(gradients=None),
        ModelCheck(),
    ]


def fired(check):
    answer = find_rule("OPT110").ask(check)
    return answer if isinstance(answer, tuple) else (answer,)


def test_names_the_module_and_not_each_of_its_weights():
    (finding,) = fired(checked(parameters=network(features={"gradient": None})))
    assert finding.level is Level.ERROR
    assert finding.message == "128 of 640 trainable weights get no gradient: features_extractor."


def test_a_weight_of_a_module_that_is_otherwise_reached_is_named_alone():
    (finding,) = fired(checked(parameters=network(**{"action_net.bias": {"gradient": None}})))
    assert "action_net.bias" in finding.message


def test_what_is_never_used_and_what_is_frozen_is_only_mentioned():
    for fields in ({"gradient": None, "used": False}, {"gradient": None, "trainable": False}):
        (finding,) = fired(checked(parameters=network(features=fields)))
        assert finding.level is Level.INFO


def test_two_ways_of_being_cut_off_are_two_findings():
    given = network(features={"gradient": None}, value_net={"in_optimizer": False})
    messages = [finding.message for finding in fired(checked(parameters=given)) if isinstance(finding, Finding)]
    assert len(messages) == 2
    assert "no optimizer holds them: mlp_extractor.value_net, value_net" in messages[1]
