from __future__ import annotations

import numpy as np

from tests.rules.task.tasks import cart_pole, lasting, mountain_car, paid, survey_of
from tests.worlds import world
from weaklink.base.evidence.survey import TRUNCATED
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.reward.prize_not_worth import prize_not_worth


def landings(policy, lengths, soft, step=-1.0, well=1.0, badly=0.0):
    """Episodes with a cost for each step, and an end that pays as it goes."""
    return paid(
        policy,
        [
            np.append(np.full(length - 1, step), well if each else badly)
            for length, each in zip(lengths, soft, strict=True)
        ],
    )


def descent(**given):
    rng = np.random.default_rng(0)
    soft = rng.random(100) < 0.2
    return survey_of(
        landings("random", rng.integers(30, 120, 100), soft, **given),
        landings("search", rng.integers(12, 18, 60), np.zeros(60, dtype=bool), **given),
    )


def ward(step=0.5, prize=1.5, fine=-0.5, **given):
    rng = np.random.default_rng(1)
    well = rng.random(100) < 0.6
    costs = [step - rng.choice([0.005, 0.05], length) for length in rng.integers(5, 40, 100)]
    return survey_of(
        paid("random", [np.append(cost, prize if each else fine) for cost, each in zip(costs, well, strict=True)]),
        paid("search", [np.append(cost, prize) for cost in costs]),
        **given,
    )


def sick():
    return [descent(), descent(well=5.0, badly=-3.0), ward(), ward(facts={"max_episode_steps": 50})]


def healthy():
    rng = np.random.default_rng(2)
    clicks = [np.append(rng.random(99) < 0.2, rng.random() < 0.25).astype(float) for _ in range(60)]
    return [
        world(),
        cart_pole(),
        mountain_car("search"),
        # a landing that is worth its way, and a ward that costs
        descent(well=200.0),
        descent(step=-0.01, badly=-1.0),
        ward(step=-0.01, prize=1.0, fine=-1.0),
        # a prize that is more than waiting could ever pay
        ward(prize=200.0),
        # nothing but a last step that happens to pay, or not
        survey_of(paid("random", clicks), paid("search", clicks[:20])),
        # every step pays, and the end is a fall
        survey_of(
            lasting("random", rng.integers(10, 40, 100), 1.0),
            paid("search", [np.append(np.ones(200), -5.0)] * 20, TRUNCATED),
        ),
    ]


def test_both_ways_are_told():
    assert "ending in the worse way returns more" in prize_not_worth.rule.ask(descent()).message
    assert "not coming to that end pays more" in prize_not_worth.rule.ask(ward()).message


def test_few_ends_do_not_tell():
    assert isinstance(prize_not_worth.rule.ask(survey_of(lasting("random", [30] * 12, 1.0))), CannotTell)
