from __future__ import annotations

import numpy as np
import pytest

from tests.rules.reward.likenesses import half_cheetah, mini_grid
from tests.rules.task.tasks import acrobot, cart_pole, cliff_walking, fetch, frozen_lake, mountain_car, survey_of
from tests.worlds import changed, play, with_play, world
from weaklink.base.evidence.survey import TRUNCATED, Play, Survey
from weaklink.base.finding import HIGH, MEDIUM, CannotTell, Level
from weaklink.base.loop import Link
from weaklink.judge.rules.reward.all_zero import all_zero

THRESHOLD = {"reward_threshold": 0.9}


def nothing(policy: str = "random", **given) -> Play:
    return play(policy, rewards=np.zeros(5000), **given)


def unpaid(**given) -> Survey:
    return survey_of(nothing(), nothing("zero"), nothing("search"), **given)


def successes(*values: float) -> dict:
    """The success of each step, these values in turn."""
    return {"is_success": np.resize(values, 5000)}


def sick():
    return [
        unpaid(),
        unpaid(facts=THRESHOLD),
        # something is earned inside, and never arrives
        with_play(unpaid(), random=nothing(components={"reward_run": np.ones(5000)})),
        with_play(unpaid(), random=nothing(raw_rewards=np.ones(5000))),
        with_play(unpaid(), search=nothing("search", metrics=successes(0.0, 0.0, 1.0))),
        # a policy that knows the way gets nothing either
        with_play(unpaid(facts=THRESHOLD), automaton=nothing("automaton")),
    ]


def healthy():
    return [
        world(),
        cart_pole(),
        mountain_car(),
        acrobot(),
        cliff_walking(),
        frozen_lake(chance=0.0, search=0.0),
        mini_grid(chance=0.0, search=0.01),
        half_cheetah(),
        # nothing but a fine, once, or a tiny reward, once
        with_play(unpaid(), search=play("search", rewards=np.append(np.zeros(4999), -1.0))),
        with_play(unpaid(), zero=play("zero", rewards=np.append(np.zeros(4999), 1e-12))),
        # what a trained policy is paid counts as well
        with_play(unpaid(), policy=play("policy", rewards=np.ones(5000))),
    ]


def test_an_error_where_nothing_speaks_of_a_goal():
    answer = all_zero(unpaid())
    assert (answer.level, answer.confidence) == (Level.ERROR, MEDIUM)
    assert "15,000 rewards of random, zero and search" in answer.message


@pytest.mark.parametrize(
    "survey",
    [
        unpaid(facts=THRESHOLD),
        changed(fetch({"random": 0.0}), plays=unpaid().plays),
        with_play(unpaid(), random=nothing(metrics=successes(0.0))),
        with_play(unpaid(goal_metric="level"), random=nothing(metrics={"level": np.zeros(5000)})),
    ],
    ids=["a threshold", "a goal in the observation", "a key for success", "a metric"],
)
def test_a_warning_where_a_distant_goal_may_pay(survey):
    answer = all_zero(survey)
    assert (answer.level, answer.confidence) == (Level.WARN, MEDIUM)


def test_a_policy_that_knows_the_way_settles_it():
    for name in ("automaton", "cheat"):
        answer = all_zero(with_play(unpaid(facts=THRESHOLD), **{name: nothing(name)}))
        assert (answer.level, answer.confidence) == (Level.ERROR, HIGH)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"components": {"idle": np.zeros(5000), "run": np.ones(5000)}}, "although its component 'run' is not"),
        ({"raw_rewards": np.ones(5000)}, "a wrapper drops it"),
        ({"metrics": successes(0.0, 1.0)}, "although random play reaches 'is_success'"),
        ({"metrics": {"success": successes(0.0, np.nan, 1.0)["is_success"]}}, "although random play reaches 'success'"),
    ],
    ids=["component", "wrapper", "success", "success with gaps"],
)
def test_proof_outweighs_a_distant_goal(given, words):
    answer = all_zero(with_play(unpaid(facts=THRESHOLD), random=nothing(**given)))
    assert (answer.level, answer.confidence) == (Level.ERROR, HIGH)
    assert words in answer.message


@pytest.mark.parametrize("values", [(0.0,), (1.0,), (0.0, 1.0, 2.0)], ids=["never", "always", "a count"])
def test_a_key_that_does_not_tell_success_from_failure_proves_nothing(values):
    answer = all_zero(with_play(unpaid(), random=nothing(metrics=successes(*values))))
    assert answer.level == Level.WARN


def test_a_goal_metric_is_proof_too():
    random = nothing(metrics={"door": successes(0.0, 1.0)["is_success"]})
    assert "random play reaches 'door'" in all_zero(with_play(unpaid(goal_metric="door"), random=random)).message


def test_too_few_steps_say_nothing():
    def short(length):
        return survey_of(play(episodes=1, length=length, rewards=np.zeros(length)))

    assert isinstance(all_zero(short(499)), CannotTell)
    assert all_zero(short(500)).level == Level.ERROR
    assert isinstance(all_zero(short(500), steps=501), CannotTell)


def test_a_few_long_episodes_of_random_play_alone_cannot_tell():
    """All that a slow environment leaves time for on a busy machine."""
    few = play(lengths=np.full(6, 300), ends=TRUNCATED, rewards=np.zeros(1800))
    assert isinstance(all_zero(changed(unpaid(), plays={"random": few})), CannotTell)
    many = play(lengths=np.full(30, 300), ends=TRUNCATED, rewards=np.zeros(9000))
    assert all_zero(changed(unpaid(), plays={"random": many})).level == Level.WARN
    assert all_zero(changed(unpaid(), plays={"random": few, "search": many})).level == Level.WARN


def test_a_task_that_is_solved_whatever_is_done():
    always = {name: nothing(name, metrics={"is_success": np.ones(5000)}) for name in ("random", "search")}
    answer = all_zero.rule.ask(changed(unpaid(), plays=always))
    assert answer.link is Link.TASK
    assert "solved whatever is done" in answer.message
    sometimes = always | {"search": nothing("search", metrics=successes(0.0, 0.0, 1.0))}
    assert all_zero.rule.ask(changed(unpaid(), plays=sometimes)).link is Link.REWARD
