from __future__ import annotations

from tests.recoveries import dqn, online, ppo, q_loop, sac, soft_loop, steps_loop
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("DAT206")


def sick():
    return [
        q_loop("action before"),
        q_loop("unfilled"),
        q_loop("cut", 0),
    ]


def more_sick():
    return [
        q_loop("reset lost"),
        soft_loop("action before"),
        soft_loop("own indices"),
        soft_loop("stored anew"),
        soft_loop("reward before"),
        soft_loop("reward turned"),
        soft_loop("reward lost"),
        soft_loop("shifted with ends"),
        steps_loop("once"),
        soft_loop("own observation"),
        q_loop("weighed, reward lost"),
        q_loop("reset lost, shrunk", number=0),
        q_loop("ends lost"),
        steps_loop("return so far"),
        steps_loop("windows run on"),
        soft_loop("action for its own"),
        q_loop("no future"),
        q_loop("prioritised, rising", 1, seed=1),
        q_loop("prioritised, signed, from above", 1),
        q_loop("next of others"),
    ]


def healthy():
    return [
        q_loop(),
        q_loop(seed=1),
        q_loop("weighed"),
    ]


def more_healthy():
    return [
        q_loop("prioritised", 1),
        q_loop("prioritised, from above", 1),
        q_loop("weighed by errors", 1, seed=1),  # rows are drawn evenly: then the weights stand for the priorities
        soft_loop(),
        soft_loop(seed=1),
        soft_loop("shifted"),
        soft_loop("clipped late"),
        dqn(),
        sac(),
        sac(fault="scaled"),
        ppo(),
        steps_loop(),
        steps_loop("limits ignored", limit=6),
        q_loop("shrunk"),
        q_loop("shrunk", number=0),
        online(),
        online("sign flipped"),  # its critic is asked about what followed, right before the next step
    ]


def test_says_what_was_done_to_the_rows():
    assert "the more the larger their errors are" in RULE.ask(q_loop("prioritised, rising", 1, seed=1)).message
    assert "did not follow it" in RULE.ask(q_loop("next of others")).message
    assert "by the error itself" in RULE.ask(q_loop("prioritised, signed, from above", 1)).message
    assert RULE.ask(q_loop("cut", 0)).link is Link.OBSERVATION
    assert RULE.ask(q_loop("reset lost")).link is Link.ENVIRONMENT
    assert "the action of the step before" in RULE.ask(soft_loop("action before")).message
    assert "what is stored is not what was done" in RULE.ask(soft_loop("stored anew")).message
    assert "the reward of the step before" in RULE.ask(soft_loop("reward before")).message
    assert "0.5 times minus the reward" in RULE.ask(soft_loop("reward turned")).message
    assert "are 20 more in every step" in RULE.ask(soft_loop("shifted with ends")).message
    assert "do not contain the reward" in RULE.ask(soft_loop("reward lost")).message
    assert "have 3 steps, and the value of what follows them is discounted once" in RULE.ask(steps_loop("once")).message
    assert "go on with a value of the row's own observation" in RULE.ask(soft_loop("own observation")).message
    assert "do not contain the reward" in RULE.ask(q_loop("weighed, reward lost")).message
    assert RULE.ask(q_loop("reset lost, shrunk", number=0)).link is Link.ENVIRONMENT
    assert "the last step of an episode is not stored" in RULE.ask(q_loop("ends lost")).message
    assert "are the reward of the step alone" in RULE.ask(q_loop("no future")).message
    assert "the return of the episode so far" in RULE.ask(steps_loop("return so far")).message
    assert "have 3 steps and run through the ends of episodes" in RULE.ask(steps_loop("windows run on")).message
    assert "asked for at the rows' own observations" in RULE.ask(soft_loop("action for its own")).message
    assert RULE.ask(q_loop()) is None
    assert RULE.ask(soft_loop()) is None
