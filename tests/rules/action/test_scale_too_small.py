from __future__ import annotations

import numpy as np

from tests.worlds import box, changed, discrete, play, sweep, world
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.action.scale_too_small import scale_too_small


def weak(dimension=0, far=0.001, paid=0.0, **given):
    size = np.abs(np.linspace(-1, 1, 5))[None, :] * np.ones((6, 1))
    return sweep(dimension, near=far / 10, far=far, near_reward=0 * size, far_reward=paid * size, **given)


def arm(*sweeps, **fields):
    return changed(world(), sweeps=sweeps, action=box(len(sweeps), -1.0, 1.0), **fields)


def sick():
    return [arm(weak()), arm(weak(far=0.02)), arm(weak(0), weak(1)), arm(sweep(0), weak(1)), arm(weak(paid=1e-4))]


def healthy():
    resting = weak(far=0.005, motion=np.zeros(6))
    return [
        world(),
        arm(sweep(far=0.06)),
        arm(weak(far=0.1)),
        # a state that does not move by itself: any effect is large beside it
        arm(resting),
        # prices that no trader moves, and a position that pays
        arm(weak(paid=0.5)),
        # a wrist is weaker than a hip
        arm(sweep(0, far=0.5), weak(1, far=0.008)),
        # without any effect it is dead, which is ACT102's
        arm(sweep(0), weak(1, far=0.0)),
        changed(world(), sweeps=(weak(),), action=discrete(5)),
    ]


def test_gives_both_measures():
    answer = scale_too_small.rule.ask(arm(weak()))
    assert answer.severity is Level.WARN
    assert "move the state by 0.001 of its motion and 0.001 standard deviations (limit 0.03)" in answer.message


def test_names_the_weak_one_among_strong_ones():
    answer = scale_too_small.rule.ask(arm(sweep(0), weak(1)))
    assert "The ends of action[1]" in answer.message
    assert "while another dimension moves it 1,000 times as far" in answer.message


def idle(level=0.0, **given):
    """Plays that earn the same, but for the search."""
    names = ("random", "zero", "constant", "search")
    walk = 0.1 * play(**given).observations[:, 0]
    rewards = given.pop("rewards", walk)
    return {name: play(name, **given, rewards=rewards + level * (name == "search")) for name in names}


def test_a_motion_that_pays_nothing_and_policies_that_earn_the_same():
    moving = weak(far=3.0, paid=1e-4)
    answer = scale_too_small.rule.ask(arm(moving, plays=idle()))
    assert answer.severity is Level.WARN
    assert "random, zero, constant, search play all earn the same" in answer.message
    assert scale_too_small.rule.ask(arm(moving, plays=idle(level=1.0))) is None
    assert scale_too_small.rule.ask(arm(weak(far=3.0, paid=0.5), plays=idle())) is None
    assert scale_too_small.rule.ask(arm(moving, plays=idle(episodes=10))) is None


def test_a_motion_that_gets_nowhere_in_an_episode_and_policies_that_earn_the_same():
    """Joints that are turned by degrees taken for radians: noise moves them more, and targets lie all around."""
    creeping = weak(far=0.05, paid=0.2, motion=np.full(6, 0.01))
    answer = scale_too_small.rule.ask(
        arm(
            creeping,
            plays=idle(),
        )
    )
    assert answer.severity is Level.WARN
    assert "over the 50 steps of an episode" in answer.message
    # a search that earns more, and a valve that is slow but gets there
    assert scale_too_small.rule.ask(arm(creeping, plays=idle(level=1.0))) is None
    assert scale_too_small.rule.ask(arm(creeping, plays=idle(length=400))) is None
    assert scale_too_small.rule.ask(arm(creeping, sweep(1), plays=idle())) is None


def test_a_sparse_reward_within_a_sweep_says_nothing():
    rewards = np.zeros(5000)
    rewards[49::500] = 1.0
    sparse = idle(rewards=rewards)
    assert scale_too_small.rule.ask(arm(weak(far=3.0), plays=sparse)) is None
    assert scale_too_small.rule.ask(arm(weak(far=0.05), plays=sparse)).severity is Level.WARN


def test_a_reward_of_two_levels_says_nothing_either():
    """A puck that is slow to reach its goal: -1 outside of it, 0 inside, for many steps in a row."""
    inside = -(np.arange(5000) // 40 % 9 > 0).astype(float)
    assert scale_too_small.rule.ask(arm(weak(far=3.0), plays=idle(rewards=inside))) is None


def test_a_reward_that_is_mostly_noise_says_nothing_either():
    noise = np.random.default_rng(0).normal(size=5000)
    assert scale_too_small.rule.ask(arm(weak(far=3.0), plays=idle(rewards=noise))) is None


def test_what_breaks_the_simulation_is_not_weak():
    assert scale_too_small.rule.ask(arm(weak(far=np.nan))) is None


def test_few_states_are_too_few():
    few = sweep(far=0.001, states=2)
    assert isinstance(scale_too_small.rule.ask(arm(few)), CannotTell)


def test_prices_that_no_trader_moves_are_paid_in_any_unit():
    def market(unit):
        plays = {name: changed(one, rewards=unit * one.rewards) for name, one in idle(level=1.0).items()}
        return arm(weak(paid=0.5 * unit), plays=plays)

    for unit in (1.0, 1e-7, 1e5):
        assert scale_too_small.rule.ask(market(unit)) is None
