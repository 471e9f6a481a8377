from __future__ import annotations

import numpy as np
import pytest

from tests.rules.reward.likenesses import atari, half_cheetah, made_of, swimmer
from tests.rules.task.tasks import cart_pole, frozen_lake, pendulum, survey_of
from tests.worlds import changed, play, with_play, world
from weaklink.base.evidence.survey import Play, Survey
from weaklink.base.finding import HIGH, LOW, MEDIUM, CannotTell, Level
from weaklink.judge.rules.reward.clipped_reward import clipped_reward

WRAPPED = {"wrappers": ("TimeLimit", "ClipReward")}


def stepping(prize: float, spread: float = 0.05, level: float = -0.1, seed: int = 40) -> np.ndarray:
    """Small rewards on the way and a prize at the end of each episode."""
    raw = np.random.default_rng(seed).normal(level, spread, (100, 50))
    raw[:, -1] = prize
    return raw.ravel()


def wrapped(raw: np.ndarray, paid: np.ndarray, **facts) -> Survey:
    plays = [play(name, rewards=paid, raw_rewards=raw) for name in ("random", "search")]
    return survey_of(*plays, facts=WRAPPED | facts)


def clipped(raw: np.ndarray, bound: float = 1.0, scale: float = 1.0, **facts) -> Survey:
    return wrapped(raw, np.clip(scale * raw, -bound, bound), **facts)


def summed(low: float = -np.inf, high: float = np.inf, **given) -> Survey:
    """Parts that add up to the reward, but for where it is cut."""
    rng = np.random.default_rng(41)
    bonus = np.where(rng.random((40, 50)) < 0.05, 20.0, 0.0)
    parts = {"run": rng.normal(0.5, 0.3, (40, 50)), "goal": bonus}
    rewards = np.clip(sum(parts.values()), low, high).ravel()
    return survey_of(made_of("random", parts, rewards=rewards, **given))


def told(spread: float, bound: float = 1.0) -> Survey:
    """Revenue that the info tells, and a reward that is the same, but for a clip."""
    revenue = np.random.default_rng(42).normal(0, spread, 5000)
    paid = np.clip(revenue, -bound, bound)
    plays = [play(name, rewards=paid, metrics={"revenue": revenue}) for name in ("random", "search")]
    return survey_of(*plays)


def followed(floor: float = -0.25, far: float = 40.0) -> Survey:
    """A reward that falls with a distance of the info, and with what an action costs, down to a floor."""
    rng = np.random.default_rng(43)
    distance = rng.uniform(0.0, far, 5000)
    paid = np.maximum(-0.1 * distance - 0.01 * rng.random(5000), floor)
    return survey_of(play("random", rewards=paid, metrics={"off_by": distance}))


def sick():
    return [
        clipped(stepping(100.0)),
        clipped(stepping(-100.0, level=0.1)),
        # no other reward is of the same sign, or none is of another size
        clipped(stepping(100.0, spread=0.0)),
        clipped(stepping(100.0), scale=0.1),
        clipped(np.tile([1.0, 2.0, 4.0, 30.0], 1250)),
        summed(high=2.0),
        # in one play only
        with_play(clipped(stepping(0.5)), search=clipped(stepping(100.0)).plays["search"]),
        # the info tells what was earned
        told(spread=30.0),
        followed(),
        # worth knowing only
        atari(-1.0, 1.0, 200.0),
        atari(10.0, 20.0, 30.0),
        summed(low=0.0),
        clipped(stepping(1.04)),
        changed(cart_pole(), facts={"clip_reward": 1.0}),
    ]


def healthy():
    raw = stepping(100.0)
    return [
        followed(floor=-10.0),
        followed(floor=-3.0),  # a quarter of the way is cut off
        world(),
        cart_pole(),
        pendulum(),
        frozen_lake(),
        half_cheetah(),
        swimmer(),
        atari(1.0),
        atari(-1.0, 1.0),
        # not touched, scaled, moved, turned round
        wrapped(raw, raw),
        wrapped(raw, 0.01 * raw),
        wrapped(raw, 3.0 * raw - 1.0),
        wrapped(raw, -raw),
        # two sizes, scaled or moved
        wrapped(np.resize([0.0, 0.0, 100.0], 5000), np.resize([0.0, 0.0, 1.0], 5000)),
        wrapped(np.resize([-1.0, -1.0, 100.0], 5000), np.resize([-0.01, -0.01, 1.0], 5000)),
        wrapped(np.resize([-1.0, -1.0, 0.0], 5000), np.resize([0.0, 0.0, 1.0], 5000)),
        # a cost that stops at its largest now and then, and one that the info tells as it is
        told(spread=0.5),
        told(spread=30.0, bound=np.inf),
        # a bound that nothing reaches
        clipped(raw, bound=200.0),
        # a bonus of a wrapper's own, and a reward that has nothing to do with the one inside
        wrapped(raw, raw + np.random.default_rng(1).random(5000)),
        wrapped(raw, np.random.default_rng(2).normal(0, 1, 5000)),
        # squashed, order and size kept
        wrapped(raw, np.sign(raw) * np.log1p(np.abs(raw))),
        summed(),
        # nobody knows what is inside
        survey_of(play(), facts=WRAPPED),
    ]


@pytest.mark.parametrize(("spread", "level"), [(0.05, -0.1), (0.0, -0.1), (0.05, 0.2)])
def test_the_prize_at_the_end_is_the_first_to_be_cut(spread, level):
    answer = clipped_reward(clipped(stepping(100.0, spread, level)))
    assert (answer.level, answer.confidence) == (Level.ERROR, HIGH)
    assert answer.message.startswith("Rewards stop at 1: in random play a wrapper cuts 100 rewards, by up to 100 times")
    assert answer.evidence[0].value == pytest.approx(1.0)


def test_the_crash_is_cut_as_well():
    answer = clipped_reward(clipped(stepping(-100.0, level=0.1)))
    assert answer.level == Level.ERROR
    assert answer.message.startswith("Rewards stop at -1:")


def test_a_prize_is_only_measured_by_costs_that_are_handed_through():
    raw = np.resize([-0.1] * 9 + [2.0], 5000)
    assert clipped_reward(clipped(raw)).level == Level.ERROR
    assert clipped_reward(clipped(np.resize([1.0] * 9 + [-100.0], 5000))).message.startswith("Rewards stop at -1:")
    # costs doubled, prizes left as they are: weights, no clip
    assert clipped_reward(wrapped(raw, np.where(raw < 0, 2.0 * raw, raw))) is None


@pytest.mark.parametrize("squash", [np.log1p, np.tanh, np.sqrt, lambda size: np.sqrt(size + 1.0) - 1.0 + 1e-3 * size])
def test_squashed_rewards_are_not_cut(squash):
    raw = stepping(3.0, level=0.3)
    assert clipped_reward(wrapped(raw, np.sign(raw) * squash(np.abs(raw)))) is None


def test_a_clip_of_rewards_that_fall_with_time_is_not_taken_for_squashing():
    raw = np.append(np.full(100, 50.0), np.linspace(0.9, 0.1, 4900))
    assert clipped_reward(clipped(raw)).level == Level.ERROR


def test_scaling_before_the_clip_is_allowed_for():
    answer = clipped_reward(clipped(stepping(100.0, level=0.5), scale=0.1))
    assert "by up to 10 times" in answer.message


def test_a_little_is_only_worth_knowing():
    assert clipped_reward(clipped(stepping(1.04, level=0.2))).level == Level.INFO
    # many times over, or much in all
    assert clipped_reward(clipped(stepping(6.0, level=0.2))).level == Level.ERROR
    assert clipped_reward(clipped(stepping(3.0, level=0.2))).level == Level.ERROR
    assert clipped_reward(clipped(stepping(3.0, level=0.2)), lost=0.5).level == Level.INFO
    assert clipped_reward(clipped(stepping(6.0, level=0.2)), lost=0.9, times=7.0).level == Level.INFO


def test_rewards_of_similar_size_lose_little():
    close, apart = (np.tile([0.0, *prizes], 1250) for prizes in ((10.0, 20.0, 30.0), (1.0, 20.0, 300.0)))
    assert clipped_reward(wrapped(close, np.sign(close))).level == Level.INFO
    assert clipped_reward(wrapped(apart, np.sign(apart))).level == Level.ERROR
    assert clipped_reward(wrapped(close, np.sign(close)), similar=2.0).level == Level.ERROR


def test_the_usual_clip_of_atari_games_is_only_worth_knowing():
    game = atari(1.0, 20.0, 300.0)
    assert clipped_reward(game).level == Level.INFO
    # another clip, or another kind of environment
    assert clipped_reward(changed(game, name="grid", facts=WRAPPED)).level == Level.ERROR
    raw = game.plays["random"].raw_rewards
    fields = {"episodes": 20, "length": 400, "raw_rewards": raw}
    assert clipped_reward(with_play(game, random=play(rewards=np.clip(raw, -5, 5), **fields))).level == Level.ERROR


def test_a_normaliser_is_judged_once_it_has_settled():
    raw = np.append(stepping(100.0, level=0.2)[:2500], stepping(0.4, level=0.2)[2500:])
    assert clipped_reward(clipped(raw)).level == Level.ERROR
    assert clipped_reward(clipped(raw, normalises_rewards=True)) is None
    raw = stepping(1.0, level=0.2)
    late = np.clip(5.0 * raw, -2.0, 2.0)
    assert clipped_reward(wrapped(raw, late, normalises_rewards=True)).level == Level.ERROR


def test_parts_that_add_up_but_for_a_bound():
    answer = clipped_reward(summed(high=2.0))
    assert answer.level == Level.ERROR
    assert "Rewards stop at 2: in random play the sum of its components is cut" in answer.message
    assert clipped_reward(summed(high=25.0)) is None


def test_parts_cut_at_zero_are_usual():
    answer = clipped_reward(summed(low=0.0))
    assert answer.level == Level.INFO
    assert answer.message.startswith("Rewards stop at 0:")


def test_parts_that_add_up_to_something_else_most_of_the_time_are_no_clip():
    assert clipped_reward(summed(high=0.4)) is None
    assert clipped_reward(summed(high=2.0), most=0.01) is None


class TestOnlyTheOuterRewards:
    def sitting(self, stuck: int, clip: object = 10.0) -> Survey:
        rewards = np.ones(5000)
        rewards[5000 - stuck :] = -10.0
        return survey_of(play(rewards=rewards), facts={"clip_reward": clip})

    def test_rewards_that_sit_on_the_clip_are_told(self):
        answer = clipped_reward(self.sitting(3))
        assert (answer.level, answer.confidence) == (Level.INFO, LOW)
        assert "3 of 2,500 rewards lie on the normaliser's clip of 10" in answer.message

    def test_two_may_be_chance(self):
        assert isinstance(clipped_reward(self.sitting(2)), CannotTell)

    @pytest.mark.parametrize("clip", [None, 0.0, "ten"])
    def test_no_clip_to_sit_on(self, clip):
        answer = clipped_reward(self.sitting(3, clip))
        assert answer is None or isinstance(answer, CannotTell)

    def test_wrappers_that_leave_rewards_alone(self):
        assert clipped_reward(survey_of(play(), facts={"wrappers": ("TimeLimit", "OrderEnforcing")})) is None
        assert isinstance(clipped_reward(survey_of(play(), facts=WRAPPED)), CannotTell)


def test_confidence_grows_with_what_is_cut():
    def few(count: int) -> Survey:
        raw = stepping(0.2, level=0.2)
        raw[:count] = 100.0
        return clipped(raw)

    assert clipped_reward(few(1)) is None
    assert clipped_reward(few(9)).confidence == MEDIUM
    assert clipped_reward(few(10)).confidence == HIGH


def test_leaves_what_is_not_a_number_to_others():
    def broken(**given) -> Play:
        return play(**({"rewards": np.ones(5000)} | given))

    nans = np.full(5000, np.nan)
    assert isinstance(clipped_reward(survey_of(broken(rewards=nans), facts=WRAPPED)), CannotTell)
    assert isinstance(clipped_reward(survey_of(broken(raw_rewards=nans), facts=WRAPPED)), CannotTell)


def test_a_clip_that_leaves_hardly_more_than_the_sign_is_known_by_the_info():
    answer = clipped_reward(told(spread=30.0))
    assert answer.level == Level.ERROR
    assert "the info tells more of" in answer.message


def test_a_floor_below_which_the_info_goes_on():
    found = clipped_reward.rule.ask(followed())
    assert "The reward follows `off_by` of the info and stops at -0.25, in 93% of the steps" in found.message
    assert found.level is Level.WARN
