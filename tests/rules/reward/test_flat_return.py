from __future__ import annotations

import numpy as np
import pytest

from tests.rules.reward.likenesses import atari, half_cheetah, humanoid_standup, mini_grid, swimmer, taxi
from tests.rules.task.tasks import (
    acrobot,
    cart_pole,
    cliff_walking,
    ending,
    fetch,
    frozen_lake,
    lasting,
    mountain_car,
    paid,
    pendulum,
    survey_of,
)
from tests.worlds import changed, play, with_play, world
from weaklink.base.evidence.survey import CUT, TRUNCATED, Survey
from weaklink.base.finding import HIGH, MEDIUM, CannotTell, Level
from weaklink.judge.rules.reward.flat_return import flat_return


def cancelling(*names: str, episodes: int = 40) -> Survey:
    """Large rewards that add up to 5 in every episode."""
    plays = []
    for name in names or ("random", "zero", "search"):
        rewards = np.random.default_rng([1, *name.encode()]).normal(0, 10, (episodes, 50))
        plays.append(paid(name, list(rewards - rewards.mean(axis=1, keepdims=True) + 0.1)))
    return survey_of(*plays)


def scattering(spread: float, size: float, best: float = 0.0) -> Survey:
    """One step an episode: returns around a size with a spread of exactly this."""
    deviations = np.tile([-1.0, 1.0], 50) * spread
    return survey_of(
        *(
            paid(name, list((size + more + deviations)[:, None]))
            for name, more in (("random", 0.0), ("zero", 0.0), ("search", best))
        )
    )


def games(*, won=0.995, fixed=1.0, ways=1000, move=0.0, names=("random", "constant", "search")):
    """Games that pay 1 at their end, now and then nothing; boards end in so many different ways."""
    plays = []
    for name in names:
        rng = np.random.default_rng([2, *name.encode()])
        lengths = rng.integers(5, 12, 300)
        outcomes = rng.random(300) < (fixed if name == "constant" else won)
        outcomes[0] = name != "random"
        made = paid(
            name, [np.append(np.full(n - 1, move), float(end)) for n, end in zip(lengths, outcomes, strict=True)]
        )
        boards = np.random.default_rng(5).integers(0, ways, (len(made.rewards), 3)).astype(float)
        plays.append(changed(made, observations=boards, successors=np.roll(boards, -1, axis=0)))
    return survey_of(*plays)


def sick():
    return [
        cancelling(),
        cancelling("random", "tabular"),
        scattering(0.009, 1.0),
        survey_of(*(ending(name, np.ones(50), np.arange(3, 53)) for name in ("random", "search"))),
        # worth knowing only: the returns do differ, by as much as such rewards can
        scattering(0.001, 0.005),
        # whoever wins, it is paid alike
        games(),
    ]


def healthy():
    return [
        world(),
        cart_pole(),
        # mountain car as long as nobody gets up the hill: a cost until a goal
        mountain_car(),
        mountain_car("tabular"),
        mountain_car("automaton"),
        acrobot(),
        pendulum(),
        frozen_lake(chance=0.0, search=0.0),
        cliff_walking(),
        taxi(),
        mini_grid(chance=0.0, search=0.02),
        fetch({"random": 0.0, "search": 0.1}),
        half_cheetah(),
        swimmer(),
        humanoid_standup(),
        atari(1.0),
        scattering(0.011, 1.0),
        # each play is flat, and one is better
        scattering(0.001, 1.0, best=0.1),
        # games that are lost at times, that one move throughout does not win, whose moves are paid, or that end alike
        games(won=0.9),
        games(fixed=0.3),
        games(move=-0.01),
        games(ways=2),
        games(names=("random", "search")),
        # nobody searched
        cancelling("random", "zero"),
    ]


def test_an_alarm_where_large_rewards_always_add_up_to_the_same():
    answer = flat_return(cancelling())
    assert (answer.level, answer.confidence) == (Level.WARN, HIGH)
    assert "all 120 episodes of random, zero and search" in answer.message
    assert answer.message.endswith("around 5.")


def test_tiny_rewards_are_only_worth_knowing_as_long_as_healthy_ones_are_not_far_away():
    answer = flat_return(scattering(0.001, 0.005))
    assert answer.level == Level.INFO
    assert "rewards are tiny: they add up to at most 0.006" in answer.message
    smaller = flat_return(scattering(1e-6, 5e-6))
    assert smaller.level == Level.WARN
    assert "times past the smallest of" in smaller.message
    assert flat_return(scattering(0.001, 0.11)).level == Level.WARN
    assert flat_return(scattering(0.001, 0.11), share=0.001).level == Level.INFO


def test_the_spread_is_that_of_all_baselines_together():
    assert flat_return(scattering(0.001, 1.0, best=0.1)) is None
    assert flat_return(scattering(0.001, 1.0, best=0.01)).level == Level.WARN
    assert flat_return(scattering(0.001, 1.0, best=0.01), spread=0.001) is None


@pytest.mark.parametrize("expert", ["search", "tabular", "automaton", "cheat"])
def test_cannot_tell_unless_somebody_knows_or_searches(expert):
    assert flat_return(cancelling("random", expert)).level == Level.WARN
    answer = flat_return(cancelling("random", "zero"))
    assert isinstance(answer, CannotTell)
    assert answer.missing == ("search",)


def test_cannot_tell_from_a_few_episodes():
    assert isinstance(flat_return(cancelling(episodes=19)), CannotTell)
    assert flat_return(cancelling("random", "search", episodes=20)).confidence == MEDIUM
    cut = play(ends=CUT, rewards=np.zeros(5000))
    assert isinstance(flat_return(with_play(cancelling(), random=cut)), CannotTell)


def test_no_reward_at_all_is_another_illness():
    nothing = survey_of(*(lasting(name, np.full(50, 30), 0.0, TRUNCATED) for name in ("random", "search")))
    assert "all-zero" in flat_return(nothing).why


def test_a_cost_per_step_until_a_goal_that_nobody_met_is_left_to_the_task():
    costly = survey_of(*(lasting(name, np.full(50, 30), -0.01, TRUNCATED) for name in ("random", "search")))
    assert "until a goal" in flat_return(costly).why
    paid = survey_of(*(lasting(name, np.full(50, 30), 0.5, TRUNCATED) for name in ("random", "search")))
    assert flat_return(paid).level == Level.WARN


def test_a_trained_policy_is_no_baseline():
    assert flat_return(with_play(cancelling(), policy=play("policy", level=100.0))).level == Level.WARN


def test_a_reward_that_no_action_ever_changed():
    """The reward of each step is drawn, and other courses of action from the same seed got the very same."""
    moving = changed(world(), paid_whatever_done=900)
    answer = flat_return(moving)
    assert (answer.level, answer.confidence) == (Level.WARN, HIGH)
    assert "does not depend on the actions" in answer.message
    for other in (
        changed(moving, paid_whatever_done=0),
        changed(moving, paid_whatever_done=100),
        changed(moving, paid_whatever_done=None),
        # actions that change nothing at all are another matter
        changed(moving, same_whatever_done=True),
        # a bonus for each step, and a prize that nobody met
        changed(cart_pole(), paid_whatever_done=900),
        changed(frozen_lake(), paid_whatever_done=900),
    ):
        assert flat_return(other) is None
