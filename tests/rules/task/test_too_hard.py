from __future__ import annotations

import numpy as np

from tests.rules.task.tasks import blackjack, lasting, mountain_car
from tests.rules.task.test_learned_nothing import best_blackjack
from tests.worlds import changed, play, with_play, world
from weaklink.base.evidence.survey import TRUNCATED
from weaklink.base.finding import HIGH, CannotTell, Finding
from weaklink.judge.rules.task.too_hard import too_hard


def trained(level: float, expert: float = 500.0, **given):
    return with_play(world(), policy=play("policy", level=level, **given), automaton=play("automaton", level=expert))


def sick():
    stuck = lasting("policy", np.full(50, 200), -1.0, TRUNCATED)
    return [trained(3.0), trained(-20.0), with_play(mountain_car("automaton"), policy=stuck)]


def healthy():
    return [
        trained(60.0),
        trained(450.0),
        trained(700.0),
        with_play(blackjack(), policy=best_blackjack(2000)),
        world(),
    ]


def test_the_best_expert_counts():
    answer = too_hard(trained(3.0))
    assert isinstance(answer, Finding)
    assert "automaton (500" in answer.message
    assert answer.confidence == HIGH


def test_an_expert_no_better_than_random_is_no_measure():
    without = changed(trained(0.0, expert=0.0), plays={k: v for k, v in trained(0, 0).plays.items() if k != "search"})
    assert isinstance(too_hard(without), CannotTell)


def test_returns_that_scatter_more_than_the_gap_do_not_tell():
    assert isinstance(too_hard(trained(0.0, expert=8.0, spread=6.0)), CannotTell)


def test_few_episodes_do_not_tell():
    assert isinstance(too_hard(trained(0.0, episodes=10)), CannotTell)


def test_the_limit_can_be_set():
    assert too_hard(trained(60.0)) is None
    assert isinstance(too_hard(trained(60.0), closed=0.2), Finding)
