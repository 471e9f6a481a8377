from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.worlds import box, changed, discrete, play, with_play, world
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.configured import complete_config
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import BOTH, CUT, LIMITED, TERMINATED, TRUNCATED, Play, Survey

ENDS = (TERMINATED, TRUNCATED, BOTH, LIMITED, CUT)

episodes = st.lists(
    st.tuples(st.lists(st.floats(-10, 10), min_size=1, max_size=6), st.sampled_from(ENDS)), min_size=0, max_size=6
)


def played(parts) -> Play:
    return Play(
        policy="random",
        rewards=np.array([reward for rewards, _ in parts for reward in rewards], dtype=float),
        lengths=np.array([len(rewards) for rewards, _ in parts], dtype=np.int64),
        ends=np.array([end for _, end in parts], dtype=np.int64),
    )


@pytest.mark.slow
@given(episodes, st.floats(0.0, 1.0))
@settings(max_examples=200, deadline=None)
def test_sums_are_those_of_slow_loops(parts, gamma):
    ours = played(parts)
    whole = [rewards for rewards, end in parts if end != CUT]
    assert ours.returns == pytest.approx([sum(rewards) for rewards in whole], abs=1e-9)
    slow = [sum(gamma**step * reward for step, reward in enumerate(rewards)) for rewards in whole]
    assert ours.discounted(gamma) == pytest.approx(slow, abs=1e-9)
    to_go = [
        sum(gamma ** (later - step) * rewards[later] for later in range(step, len(rewards)))
        for rewards, _ in parts
        for step in range(len(rewards))
    ]
    assert ours.to_go(gamma) == pytest.approx(to_go, abs=1e-9)


@given(episodes)
@settings(max_examples=100, deadline=None)
def test_places_are_those_of_slow_loops(parts):
    ours = played(parts)
    pairs = [(number, step) for number, (rewards, _) in enumerate(parts) for step in range(len(rewards))]
    assert ours.episode_of.tolist() == [number for number, _ in pairs]
    assert ours.time.tolist() == [step for _, step in pairs]
    assert ours.starts.tolist() == [sum(len(rewards) for rewards, _ in parts[:number]) for number in range(len(parts))]
    assert ours.episodes == sum(end != CUT for _, end in parts)
    assert ours.ended_lengths.tolist() == [len(rewards) for rewards, end in parts if end != CUT]


def test_a_reward_that_is_no_number_stays_in_its_episode():
    ours = played([([1.0, np.nan], TERMINATED), ([2.0], TERMINATED), ([np.inf, 1.0], CUT), ([3.0, 4.0], TRUNCATED)])
    assert np.isnan(ours.returns[0])
    assert ours.returns[1:].tolist() == [2.0, 7.0]
    assert ours.to_go(0.5)[2] == 2.0


def test_what_is_in_a_survey():
    survey = world()
    assert "random" in survey
    assert "sweeps" in survey
    assert "automaton" not in survey
    assert "masks" not in survey
    assert "swallowed" not in survey, "nothing was swallowed"
    assert 3 not in survey
    assert "timing" not in Survey(name="bare")


def test_the_best_of_the_baselines_is_no_trained_policy_and_played_to_the_end():
    survey = with_play(
        world(),
        policy=play("policy", level=500.0),
        cheat=play("cheat", level=400.0, ends=CUT),
    )
    assert survey.best == "search"
    assert set(survey.baselines) == {"random", "zero", "search"}
    assert list(survey.experts) == ["search"]
    assert Survey(name="bare").best == ""


def test_rewards_of_returns_alone_are_no_rewards():
    survey = world()
    more = with_play(survey, policy=play("policy", returns_only=True, level=9e9))
    assert len(more.rewards) == len(survey.rewards) == sum(len(one.rewards) for one in survey.plays.values())
    assert len(Survey(name="bare").rewards) == 0


def test_columns_that_were_kept_have_their_labels():
    space = Space(kind="dict", parts={"arm": box(2), "gear": discrete(3)})
    assert world(observation=space).labels == ("arm[0]", "arm[1]", "gear")
    assert world(observation=box(3)).labels == ("observation[0]", "observation[1]", "observation[2]")
    assert world(observation=discrete(3)).labels == ("observation",)
    assert world(observation=space, seen_columns=(2,)).column_kinds == ("category",)
    assert Survey(name="bare").labels == ()


def test_the_discount_is_the_one_configured():
    assert world({"gamma": 0.9}).gamma == 0.9
    assert world().gamma == 0.99
    assert Survey(name="bare").gamma == 0.99


def test_hyper_parameters_are_seen_with_their_environment():
    survey = world({"algorithm": "PPO", "learning_rate": 3e-4})
    rewards = survey.plays["random"].rewards.copy()
    rewards[3] = -77.0
    found = complete_config(with_play(survey, random=play("random", rewards=rewards)))
    assert found.values["learning_rate"] == survey.config.values["learning_rate"]
    assert found.values["observation_size"] == 3
    assert found.values["action_dimensions"] == 1
    assert "actions" not in found.values
    assert found.values["reward_max"] == 77.0
    assert found.values["max_episode_steps"] == 200
    slow = [
        abs(sum(0.99 ** int(time) * float(reward) for time, reward in zip(one.time[at], one.rewards[at], strict=True)))
        for one in (play("random", rewards=rewards), survey.plays["zero"], survey.plays["search"])
        for at in (one.episode_of == number for number in range(len(one.lengths)))
    ]
    assert found.values["return_scale"] == pytest.approx(max(slow))


def test_what_was_configured_wins_over_what_was_seen():
    """A value under its canonical name hides one that is only in the file as it was found."""
    found = complete_config(world({"obs_dim": 9, "env.max_episode_steps": 7, "reward_max": 1e6}))
    assert found.values["observation_size"] == 9
    assert "max_episode_steps" not in found.values
    assert "reward_max" not in found.values
    assert found.raw["reward_max"] == 1e6
    assert found.values["action_dimensions"] == 1


def test_choices_are_counted():
    found = complete_config(world({"algorithm": "DQN"}, action=discrete(4))).values
    assert found["actions"] == 4
    assert "action_dimensions" not in found


def test_without_hyper_parameters_there_is_nothing_to_judge():
    assert not complete_config(world())
    assert not complete_config(Survey(name="bare"))


def test_a_bare_survey_adds_nothing():
    survey = Survey(name="bare", config=Config.of({"gamma": 0.9}))
    assert complete_config(survey).values == survey.config.values


def test_returns_that_are_no_numbers_have_no_scale():
    survey = changed(world({"gamma": 0.9}), plays={"random": play(rewards=np.full(5000, np.nan))})
    found = complete_config(survey).values
    assert "return_scale" not in found
    assert "reward_max" not in found
