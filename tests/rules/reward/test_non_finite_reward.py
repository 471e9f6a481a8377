from __future__ import annotations

import numpy as np
import pytest

from tests.rules.reward.likenesses import half_cheetah, humanoid_standup, mini_grid
from tests.rules.task.tasks import cart_pole, frozen_lake, pendulum, survey_of
from tests.worlds import play, with_play, world
from weaklink.base.evidence.survey import Play
from weaklink.base.finding import HIGH, CannotTell, Level
from weaklink.judge.rules.reward.non_finite_reward import non_finite_reward


def spoilt(policy: str = "random", *, at=(123,), value: float = np.nan, **given) -> Play:
    rewards = play(policy).rewards.copy()
    rewards[list(at)] = value
    return play(policy, rewards=rewards, **given)


def column(step: int, value: float) -> np.ndarray:
    values = np.ones(5000)
    values[step] = value
    return values


def sick():
    return [
        with_play(world(), random=spoilt()),
        with_play(world(), search=spoilt("search", value=np.inf)),
        with_play(world(), policy=spoilt("policy", value=-np.inf)),
        with_play(world(), random=spoilt(at=range(5000))),
        survey_of(spoilt("zero", at=(0,))),
    ]


def healthy():
    return [
        world(),
        cart_pole(),
        pendulum(),
        frozen_lake(),
        mini_grid(),
        half_cheetah(),
        humanoid_standup(),
        # large, but a number
        with_play(world(), random=spoilt(value=1e300)),
        # the part and the reward inside are not the reward
        with_play(world(), random=play(components={"speed": column(9, np.nan)}, raw_rewards=column(9, np.inf))),
    ]


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinite"), (-np.inf, "minus infinity")])
def test_says_what_and_where(value, word):
    answer = non_finite_reward.rule.ask(with_play(world(), random=spoilt(at=(123, 400), value=value)))
    assert (answer.level, answer.confidence) == (Level.ERROR, HIGH)
    assert f"The reward is {word} at step 23 of episode 2 of random play" in answer.message
    assert "(2 of 5,000 rewards are not finite)" in answer.message
    assert (answer.evidence[0].value, answer.evidence[0].step) == (2.0, 123.0)


def test_the_edges_of_an_episode():
    for step, words in ((49, "step 49 of episode 0"), (50, "step 0 of episode 1"), (4999, "step 49 of episode 99")):
        assert words in non_finite_reward(survey_of(spoilt(at=(step,)))).message


def test_an_episode_without_a_step_is_passed_over():
    empty = play(lengths=[10, 0, 10], rewards=column(10, np.nan)[:20])
    assert "step 0 of episode 2" in non_finite_reward(survey_of(empty)).message


@pytest.mark.parametrize("value", [np.nan, np.inf, np.finfo(float).max, np.finfo(float).min])
def test_names_the_part_that_did_it(value):
    parts = {"alive": np.ones(5000), "distance": column(123, value), "late": column(400, np.nan)}
    answer = non_finite_reward(with_play(world(), random=spoilt(at=(123, 400), components=parts)))
    assert "its component 'distance'" in answer.message
    assert "late" not in answer.message


def test_says_whether_a_wrapper_did_it():
    inside = non_finite_reward(with_play(world(), random=spoilt(raw_rewards=column(123, np.nan))))
    outside = non_finite_reward(with_play(world(), random=spoilt(raw_rewards=np.ones(5000))))
    nobody = non_finite_reward(with_play(world(), random=spoilt()))
    assert "the environment inside the wrappers pays it" in inside.message
    assert "a wrapper turned a finite reward into it" in outside.message
    assert "wrapper" not in nobody.message


def test_cannot_tell_without_a_reward():
    assert isinstance(non_finite_reward(survey_of()), CannotTell)
    assert isinstance(non_finite_reward(survey_of(play(lengths=[0], rewards=np.empty(0)))), CannotTell)
