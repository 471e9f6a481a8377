from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.rules.task.tasks import cart_pole, lasting, mountain_car, paid, survey_of
from tests.surveying import survey_before
from tests.worlds import changed, world
from weaklink.base.evidence.reachable import ReachedStates
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


def port(away=0.1, prize=1.0, bonus=True, ends=7):
    """A port in which it ends; what is paid on the way grows with the distance, or with the nearness."""
    rng = np.random.default_rng(3)
    ways = []
    for _ in range(40):
        distance = np.linspace(rng.uniform(3, 8), 0.5, 60)
        ways.append(0.3 + away * distance)
    docked = [np.append(way, way[-1] + (prize if bonus else 0.0)) for way in ways[:ends]]
    return survey_of(paid("random", docked), paid("search", ways, TRUNCATED), facts={"max_episode_steps": 200})


def test_an_end_that_leaps_up_is_a_prize_however_much_other_steps_pay():
    assert "more than the step before it" in prize_not_worth.rule.ask(port()).message
    # worth more than to wait, an end that is none, and too few of them
    assert not hasattr(prize_not_worth.rule.ask(port(prize=500.0)), "message")
    assert not hasattr(prize_not_worth.rule.ask(port(bonus=False)), "message")
    assert not hasattr(prize_not_worth.rule.ask(port(ends=3)), "message")


class Lane(gym.Env):
    """A lane whose far wall ends the race with a prize; headway is paid, and what is lost again is charged or not."""

    observation_space = gym.spaces.Box(-5.0, 25.0, (2,), np.float64)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self, free, unit, prize=2.0):
        self.free, self.unit, self.prize = free, unit, prize

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v = float(self.np_random.uniform(0.0, 2.0)), 0.0
        return np.array([self.x, self.v]), {}

    def step(self, action):
        self.v = 0.5 * self.v + 0.5 * float(action[0])
        new = min(max(self.x + self.v, -5.0), 14.0)
        headway, self.x = new - self.x, new
        over = self.x >= 12.0
        paid = max(headway, 0.0) if self.free else headway
        return np.array([self.x, self.v]), self.unit * (paid + self.prize * over), over, False, {}


def swim(*given):
    """What is told of random play and of swimming straight ahead."""
    make = lambda: gym.wrappers.TimeLimit(Lane(*given), 300)  # noqa: E731
    return prize_not_worth.rule.ask(survey_before("your policies", make, steps=6000, episodes=40))


def test_wandering_that_pays_more_than_the_wall_in_any_unit():
    for unit in (1.0, 1e-3, 1e4):
        assert "wandering pays more" in swim(True, unit).message
        assert swim(False, unit) is None
    assert swim(True, 1.0, 500.0) is None


def bridge(nearest=(12,), badly=-1.0, prize=1.0):
    """A bridge whose holes end it for nothing, and steps that cost; the way to its end differs from start to start."""
    rng = np.random.default_rng(4)
    made = survey_of(
        landings("random", rng.integers(2, 30, 200), rng.random(200) < 0.05, well=prize, badly=badly),
        landings("search", np.full(60, 6), np.zeros(60, dtype=bool), badly=badly),
    )
    ways = tuple(
        ReachedStates(seed=seed, states=30, whole=False, nearest=way, prize=prize, loop=0.0, course="", ends={})
        for seed, way in enumerate(np.resize(nearest, 6).tolist())
    )
    return changed(made, reached=ways)


def test_a_way_that_costs_more_than_falling_at_once_is_not_worth_it():
    assert "failing at once is better" in prize_not_worth.rule.ask(bridge(prize=1.0)).message
    # a start beside the prize changes nothing for the others; where it is near for most, it is worth coming to
    assert "failing at once is better" in prize_not_worth.rule.ask(bridge(nearest=(3, 12, 12, 12, 12, 12))).message
    assert "failing at once" not in getattr(prize_not_worth.rule.ask(bridge(nearest=(3, 3, 12))), "message", "")
    # a prize that is worth the way, a short way, and a fine for falling; the best policy found is no proof there
    assert "failing at once" not in getattr(prize_not_worth.rule.ask(bridge(prize=40.0)), "message", "")
    assert "failing at once" not in getattr(prize_not_worth.rule.ask(bridge(nearest=(3,))), "message", "")
    assert "failing at once" not in getattr(prize_not_worth.rule.ask(bridge(badly=-50.0)), "message", "")
