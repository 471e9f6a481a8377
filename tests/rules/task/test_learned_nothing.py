from __future__ import annotations

import numpy as np
import pytest

from tests.rules.task.tasks import blackjack, ending, lasting, mountain_car, recorded
from tests.worlds import play, with_play, world
from weaklink.base.evidence.survey import TRUNCATED
from weaklink.base.finding import HIGH, MEDIUM, CannotTell, Finding, Level
from weaklink.judge.rules.task.learned_nothing import learned_nothing


def trained(level: float, episodes: int = 100, **given):
    return with_play(world(), policy=play("policy", level=level, episodes=episodes, **given))


def sick():
    stuck = lasting("policy", np.full(50, 200), -1.0, TRUNCATED)
    return [
        trained(0.3),
        trained(-3.0),
        trained(-200.0),  # worse than random
        with_play(mountain_car(), policy=stuck),
        with_play(world(), policy=recorded(np.linspace(-9.0, 9.0, 100))),
    ]


def healthy():
    return [
        trained(18.0, spread=0.1),
        with_play(blackjack(), policy=best_blackjack(2000)),
        with_play(mountain_car(), policy=lasting("policy", np.arange(100, 140), -1.0)),
        with_play(world(), policy=recorded(np.linspace(60.0, 90.0, 100))),
        world(),
    ]


def best_blackjack(episodes: int):
    rng = np.random.default_rng(8)
    outcomes = rng.choice([1.0, 0.0, -1.0], episodes, p=[0.43, 0.09, 0.48])
    return ending("policy", outcomes, rng.integers(1, 4, episodes))


def of(survey) -> Finding:
    answer = learned_nothing(survey)
    assert isinstance(answer, Finding)
    return answer


def test_no_better_than_random_is_an_error_and_the_more_episodes_the_surer():
    assert of(trained(0.3)).level == Level.ERROR
    assert of(trained(0.3)).confidence == HIGH
    assert "within one standard deviation of random play" in of(trained(0.3)).message
    fewer = with_play(world(), policy=play("policy", episodes=60, spread=0.1))
    assert of(fewer).confidence == MEDIUM


def test_worse_than_random_is_said():
    assert "worse than random play" in of(trained(-200.0)).message


def test_better_beyond_chance_is_not_nothing():
    # within one deviation of random play (12.9), and a third of the way to the search (20)
    some = of(trained(7.0, spread=0.1))
    assert some.level == Level.INFO
    assert "significantly better" in some.message
    alone = with_play(world(plays={"random": play("random")}), policy=play("policy", level=7.0, spread=0.1))
    assert of(alone).level == Level.INFO


def test_better_by_next_to_nothing_beside_a_known_expert_is_an_error():
    far = with_play(trained(7.0, spread=0.1), automaton=play("automaton", level=500.0))
    assert of(far).level == Level.ERROR


def test_luck_decides_blackjack_so_a_hundred_games_tell_nothing():
    answers = [learned_nothing(with_play(blackjack(), policy=best_blackjack(count))) for count in (30, 60, 100)]
    assert all(answer is None or isinstance(answer, CannotTell) for answer in answers), answers
    assert learned_nothing(with_play(blackjack(), policy=best_blackjack(2000))) is None


@pytest.mark.parametrize("count", [1, 5, 19])
def test_few_episodes_do_not_tell(count):
    assert isinstance(learned_nothing(trained(0.0, count)), CannotTell)


def test_rewards_that_are_no_numbers_do_not_raise():
    broken = trained(0.0)
    broken.plays["policy"].rewards[::60] = np.nan
    broken.plays["random"].rewards[::50] = np.inf
    assert isinstance(learned_nothing(broken), CannotTell)
