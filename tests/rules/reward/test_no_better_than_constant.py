from __future__ import annotations

import numpy as np
import pytest

from tests.rules.reward.likenesses import atari, half_cheetah, humanoid_standup, mini_grid, swimmer, taxi
from tests.rules.task.tasks import (
    acrobot,
    cart_pole,
    cliff_walking,
    fetch,
    frozen_lake,
    lasting,
    mountain_car,
    paid,
    pendulum,
    survey_of,
)
from tests.worlds import changed, play, with_play, world
from weaklink.base.evidence.survey import LIMITED, TERMINATED, TRUNCATED, Survey
from weaklink.base.finding import HIGH, MEDIUM, CannotTell, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules.reward.no_better_than_constant import no_better_than_constant


def steady(pay: float = 1.0, ends: int = TRUNCATED, episodes: int = 40, names=("random", "zero", "search")) -> Survey:
    return survey_of(*(lasting(name, np.full(episodes, 200), pay, ends) for name in names))


def sprinkled(often: float, prize: float = 1.5, best: float | None = None) -> Survey:
    """A bonus for each step, and by chance something else; the search may find more of it."""
    plays = []
    for name, share in (("random", often), ("search", often if best is None else best)):
        rng = np.random.default_rng([2, *name.encode()])
        plays.append(paid(name, [np.where(rng.random(200) < share, prize, 1.0) for _ in range(40)], TRUNCATED))
    return survey_of(*plays)


def sick():
    return [
        steady(),
        steady(0.01),
        steady(ends=LIMITED),
        # a cost, and episodes that terminate always at the same step, so no goal can shorten them
        steady(-1.0, ends=TERMINATED),
        sprinkled(0.005),
        # the task is there, a ten-thousandth of the bonus
        survey_of(
            *(
                paid(name, list(1.0 + 1e-4 * np.random.default_rng(seed).normal(0, 1, (40, 200))), TRUNCATED)
                for seed, name in enumerate(("random", "search"))
            )
        ),
    ]


def healthy():
    return [
        world(),
        cart_pole(),
        mountain_car(),
        mountain_car("tabular"),
        acrobot(),
        pendulum(),
        frozen_lake(),
        cliff_walking(),
        taxi(),
        mini_grid(),
        fetch({"random": 0.05, "search": 0.1}),
        fetch({"random": 0.0, "search": 0.0}),
        half_cheetah(),
        swimmer(),
        humanoid_standup(),
        atari(1.0),
        sprinkled(0.02),
        # the rare prize is what there is to learn, and the search earns more of it
        sprinkled(0.0, prize=5.0, best=0.015),
        # nobody searched
        steady(names=("random", "zero")),
    ]


def test_says_what_is_paid_and_how_long():
    answer = no_better_than_constant.rule.ask(steady(0.25))
    assert (answer.level, answer.confidence) == (Level.WARN, HIGH)
    assert "100.0% of the 24,000 rewards of random, zero and search are 0.25" in answer.message
    assert answer.message.endswith("every episode is 200 steps long.")


def test_a_few_other_rewards_make_it_less_sure():
    assert no_better_than_constant(sprinkled(0.005)).confidence == MEDIUM
    assert no_better_than_constant(sprinkled(0.02)) is None
    assert isinstance(no_better_than_constant(sprinkled(0.02), share=0.95), Finding)


@pytest.mark.parametrize("name", ["random", "zero", "search"])
def test_one_episode_of_another_length_is_a_signal(name):
    lengths = np.full(40, 200)
    lengths[7] = 199
    assert no_better_than_constant(with_play(steady(), **{name: lasting(name, lengths, 1.0, TRUNCATED)})) is None


def test_a_policy_that_earns_more_of_the_rare_ones_is_a_signal():
    assert no_better_than_constant(sprinkled(0.0, prize=5.0, best=0.015)) is None
    assert isinstance(no_better_than_constant(sprinkled(0.0075, prize=5.0)), Finding)


def test_a_cost_of_each_step_may_be_a_goal_that_nobody_reached():
    for ends in (TRUNCATED, LIMITED):
        assert isinstance(no_better_than_constant(steady(-1.0, ends)), CannotTell)
        assert isinstance(no_better_than_constant(steady(1.0, ends)), Finding)
    assert isinstance(no_better_than_constant(steady(-1.0, TERMINATED)), Finding)


def test_rewards_that_differ_by_less_than_a_thousandth_are_the_same():
    def wavering(by):
        plays = [np.tile([1.0, 1.0, 1.0 + by], (40, 60)) for _ in range(2)]
        return survey_of(
            *(paid(name, list(rewards), TRUNCATED) for name, rewards in zip(("random", "search"), plays, strict=True))
        )

    assert isinstance(no_better_than_constant(wavering(0.0009)), Finding)
    assert no_better_than_constant(wavering(0.0011)) is None
    assert no_better_than_constant(wavering(0.0009), same=1e-4) is None


def test_cannot_tell_from_a_few_episodes_or_without_a_search():
    assert isinstance(no_better_than_constant(steady(episodes=19)), CannotTell)
    assert isinstance(no_better_than_constant(steady(episodes=20)), Finding)
    assert no_better_than_constant(steady(names=("random", "zero"))).missing == ("search",)


def test_zero_for_ever_is_another_illness():
    assert no_better_than_constant(steady(0.0)) is None


def test_a_trained_policy_is_no_baseline():
    assert isinstance(no_better_than_constant(with_play(steady(), policy=play("policy"))), Finding)


def balancing(begin, ends=TRUNCATED, pay=1.0):
    """A stick that begins about upright, or anywhere, and falls."""
    survey = steady(pay, ends)
    rng = np.random.default_rng(0)
    lean = rng.uniform(-begin, begin, (40, 1)) + np.linspace(0.0, 3.0, 201)
    made = changed(
        survey.plays["random"], observations=lean[:, :-1].reshape(-1, 1), successors=lean[:, 1:].reshape(-1, 1)
    )
    return with_play(survey, random=made)


def test_where_lasting_is_paid_and_nothing_ends_a_fall_it_is_the_environment():
    found = no_better_than_constant.rule.ask(balancing(0.05))
    assert found.link is Link.ENVIRONMENT
    assert found.message.endswith("only lasting is paid, and nothing ends an episode.")
    for other in (balancing(1.0), balancing(0.05, ends=TERMINATED), steady()):
        assert no_better_than_constant.rule.ask(other).link is Link.REWARD
