from __future__ import annotations

import numpy as np
import pytest

from tests.rules.reward.likenesses import atari, costly_car, half_cheetah, humanoid_standup, mini_grid, swimmer, taxi
from tests.rules.task.tasks import (
    acrobot,
    cart_pole,
    cliff_walking,
    ending,
    frozen_lake,
    lunar_lander,
    mountain_car,
    paid,
    pendulum,
    survey_of,
)
from tests.worlds import play, with_play, world
from weaklink.base.evidence.survey import CUT, TRUNCATED, Play, Survey
from weaklink.base.finding import HIGH, MEDIUM, CannotTell, Level
from weaklink.judge.rules.reward.long_tail import long_tail


def spiked(policy: str, spikes: int, size: float = 500.0, *, level: float = 1.0, ratio: float = 1.0, **given) -> Play:
    """Rewards around a level, and so many spikes of this size, or of sizes in this ratio, in mid-episode."""
    rng = np.random.default_rng([4, *policy.encode()])
    rewards = rng.normal(level, 0.1, 5000)
    places = rng.permutation(np.flatnonzero(np.arange(5000) % 50 != 49))[:spikes]
    rewards[places] = size * ratio ** -np.linspace(0, 1, spikes)
    return play(policy, rewards=rewards, **given)


def near_misses(policy: str, nearest: float) -> Play:
    """Paid by one over the distance, which now and then is next to nothing."""
    rng = np.random.default_rng([5, *policy.encode()])
    return play(policy, rewards=1.0 / np.maximum(rng.random(5000), nearest))


def both(spikes: int, found: int | None = None, **given) -> Survey:
    """So many spikes in random play and in that of the search."""
    other = spiked("search", spikes if found is None else found, level=1.5, **given)
    return survey_of(spiked("random", spikes, **given), spiked("zero", 0, level=0.5), other)


def sick():
    return [
        both(10),
        both(10, found=40, size=5000.0, ratio=20.0),
        survey_of(near_misses("random", 1e-5), near_misses("search", 1e-6)),
        # worth knowing only
        both(10, size=-500.0),
        both(10, found=0),
        both(8, found=45),
    ]


def healthy():
    return [
        world(),
        cart_pole(),
        mountain_car("tabular"),
        acrobot(),
        pendulum(),
        frozen_lake(),
        cliff_walking(),
        lunar_lander("automaton"),
        taxi(),
        costly_car(),
        mini_grid(),
        half_cheetah(),
        swimmer(),
        humanoid_standup(),
        atari(1.0, 200.0),
        both(0),
        # many of them, or none that is so much larger
        both(100),
        both(10, size=40.0),
        # at the end of an episode
        survey_of(*(ending(name, np.full(60, 1000.0), np.full(60, 40)) for name in ("random", "search"))),
        survey_of(
            *(
                paid(name, [np.append(np.full(200, -0.1), 100.0) for _ in range(30)], TRUNCATED)
                for name in ("random", "search")
            )
        ),
    ]


def test_an_alarm_where_spikes_are_as_frequent_for_the_best_policy():
    answer = long_tail(both(10))
    assert (answer.level, answer.confidence) == (Level.WARN, HIGH)
    assert "10 of 5,000 steps, with rewards of up to 500" in answer.message
    assert "the same holds for search play, the best policy found" in answer.message
    assert long_tail(both(6)).confidence == MEDIUM


def test_the_step_named_is_the_largest():
    survey = both(10)
    rewards = survey.plays["random"].rewards.copy()
    rewards[777] = 600.0
    survey = with_play(survey, random=play(rewards=rewards))
    assert long_tail(survey).evidence[0].step == 777


@pytest.mark.parametrize(
    ("survey", "what"),
    [
        (both(10, found=0), "a prize that the search never meets"),
        (both(10, found=0, size=-500.0), "a fine that it avoids"),
        (both(10, size=-500.0), "a fine that doing nothing avoids"),
        (both(8, found=45), "a prize that the search earns more of"),
        (both(40, found=10), "a fine that it avoids mostly"),
        (survey_of(spiked("random", 10)), "nobody else played"),
    ],
)
def test_only_worth_knowing(survey, what):
    assert long_tail(survey).level == Level.INFO, what


def test_a_cliff_that_is_rarely_met_is_what_there_is_to_learn():
    rng = np.random.default_rng(6)
    walking = [rng.choice([-1.0, -100.0], 200, p=[0.995, 0.005]) for _ in range(40)]
    rewards = np.concatenate(walking)
    survey = survey_of(paid("random", walking, TRUNCATED), paid("search", [np.full(13, -1.0)] * 40))
    assert np.mean(rewards == -100.0) < 0.01
    assert long_tail(survey).level == Level.INFO


def test_spikes_of_many_sizes_are_an_alarm_however_often_they_come():
    assert long_tail(both(10, found=40, size=5000.0, ratio=20.0)).level == Level.WARN
    assert long_tail(both(10, found=40, size=5000.0, ratio=5.0)).level == Level.INFO


def test_ordinary_rewards_over_orders_of_magnitude_are_an_alarm_too():
    """The search is near so often that its largest rewards are no longer rare."""

    def near(often):
        rng = np.random.default_rng(8)
        rewards = rng.normal(2.0, 0.1, 5000)
        close = rng.random(5000) < often
        rewards[close] = 10 ** rng.uniform(3.5, 5.0, int(close.sum()))
        return play("search", rewards=rewards)

    random = spiked("random", 10, size=20_000.0, ratio=20.0)
    assert long_tail(survey_of(random, near(0.05))).level == Level.WARN
    assert long_tail(survey_of(random, near(0.05)), wide=1e6).level == Level.INFO
    # of one size only, it is a prize
    assert long_tail(survey_of(spiked("random", 10), near(0.05))).level == Level.INFO


def test_the_bounds():
    assert long_tail(both(2)) is None
    assert long_tail(both(3)).level == Level.WARN
    assert long_tail(both(10, size=49.0)) is None
    assert long_tail(both(10, size=500.0), times=600.0) is None
    # two thirds of the mean square
    assert long_tail(both(3, size=60.0)) is None
    assert long_tail(both(3, size=60.0), carried=0.5).level == Level.INFO


def test_the_last_step_is_left_out_unless_the_episode_was_cut_short():
    rewards = np.ones((60, 40))
    rewards[:10, -1] = 1000.0
    ended, cut = (
        survey_of(*(play(name, episodes=60, length=40, ends=ends, rewards=rewards.ravel()) for name in ("random",)))
        for ends in (TRUNCATED, CUT)
    )
    assert long_tail(ended) is None
    assert long_tail(cut).level == Level.INFO


def test_cannot_tell_from_a_few_steps():
    assert isinstance(long_tail(survey_of(play(episodes=1, length=299))), CannotTell)
    assert long_tail(survey_of(play(episodes=1, length=300))) is None
    assert isinstance(long_tail(survey_of(play(rewards=np.full(5000, np.nan)))), CannotTell)
