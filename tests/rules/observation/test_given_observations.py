from __future__ import annotations

import pytest

from tests.recoveries import actor_critic, continuous, dqn, ppo, q_loop, sac, soft_loop, steps_loop
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OBS202")

FAULTS = {
    "raw kept": (Link.OBSERVATION, "are changed for acting"),
    "normalised kept": (Link.OBSERVATION, "are changed in the loss"),
    "own statistics": (Link.OBSERVATION, "by the statistics of their own rollout"),
    "by variance": (Link.OBSERVATION, "is one over its variance"),
    "cut": (Link.OBSERVATION, "are whole numbers"),
    "written over": (Link.DATA, "hold 1 different observations, although 256 were acted on"),
    "scaled away": (Link.OBSERVATION, "divided by 255"),
    "divided by bounds": (Link.OBSERVATION, "columns of the observations are one and the same number"),
}

REPLAYED = {
    "stretched to act": "learns and times 5 in 107 steps where it acts",
    "own scales": "is scaled by its own mean and spread before",
}


def sick():
    return [*(continuous(fault) for fault in FAULTS), *(q_loop(fault, number=0) for fault in REPLAYED)]


def more_sick():
    return [soft_loop("next unscaled"), steps_loop("next unscaled"), actor_critic("old observation")]


def healthy():
    return [
        continuous(),
        continuous("raw given"),
        continuous("normalised inside"),  # once in a method of the agent, once in its forward: the answers are the same
    ]


def more_healthy():
    return [
        continuous("normalised anew"),  # the statistics have moved on since
        continuous("scaled well"),
        continuous("clipped away"),  # OBS204 tells of it
        ppo(),
        ppo(environment="Acrobot-v1"),
        actor_critic(),
        q_loop(),
        dqn(),
        sac(),
        soft_loop("scaled"),
        steps_loop("shrunk"),
    ]


@pytest.mark.parametrize("fault", FAULTS)
def test_says_what_was_done_to_observations(fault: str) -> None:
    finding = RULE.ask(continuous(fault))
    assert (finding.link, FAULTS[fault][1] in finding.message) == (FAULTS[fault][0], True), finding.message


@pytest.mark.parametrize("fault", REPLAYED)
def test_says_what_was_done_to_observations_of_a_buffer(fault: str) -> None:
    finding = RULE.ask(q_loop(fault, number=0))
    assert (finding.link, REPLAYED[fault] in finding.message) == (Link.OBSERVATION, True), finding.message
    assert RULE.ask(q_loop(number=0)) is None


def test_says_which_column_of_next_observations_is_scaled_otherwise() -> None:
    finding = RULE.ask(soft_loop("next unscaled"))
    assert "column 2 is the environment's times 0.125" in finding.message
    assert "times 1 where the next value is asked for" in finding.message
    behind = RULE.ask(steps_loop("next unscaled"))
    assert "column 0 is the environment's times 0.1" in behind.message


def test_actions_that_are_chosen_by_an_old_observation():
    found = RULE.ask(actor_critic("old observation"))
    assert (found.link, "although the environment gave a newer one" in found.message) == (Link.OBSERVATION, True)
    assert RULE.ask(actor_critic()) is None
