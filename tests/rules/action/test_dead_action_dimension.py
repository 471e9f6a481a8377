from __future__ import annotations

import msgspec
import numpy as np

from tests.worlds import box, changed, discrete, play, sweep, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.action.dead_action_dimension import dead_action_dimension


def dead(dimension=0, states=6, **given):
    zero = np.zeros((states, 5))
    fields = {"near": zero, "far": zero, "near_reward": zero, "far_reward": zero, "motion": np.ones(states)}
    return msgspec.structs.replace(sweep(dimension), **(fields | given))


def paying(dimension=0):
    """A dimension that moves nothing and costs reward."""
    return msgspec.structs.replace(sweep(dimension), near=np.zeros((6, 5)), far=np.zeros((6, 5)))


def acted(dimensions=3, **given):
    """Random play in which the first dimension moves the first column, and nothing else does."""
    made = play("random", episodes=20, actions=dimensions)
    after = made.observations + 0.1 * np.random.default_rng(5).normal(size=made.observations.shape)
    after[:, 0] += made.actions[:, 0]
    return msgspec.structs.replace(made, successors=after, **given)


def arm(*sweeps, action=None, random=None, **fields):
    plays = {"random": acted(len(sweeps)) if random is None else random}
    space = box(len(sweeps), -1.0, 1.0) if action is None else action
    return changed(world(), sweeps=sweeps, action=space, plays=plays, **fields)


def sick():
    return [
        arm(sweep(0), dead(1), sweep(2)),
        arm(sweep(0), dead(1), dead(2)),
        # a control cost that is paid for nothing
        arm(sweep(0), paying(1), sweep(2)),
        arm(dead(0), same_whatever_done=None, random=acted(1, actions=np.ones((1000, 1)))),
        # two states, and random play agrees
        arm(sweep(0), dead(1, states=2)),
        arm(sweep(0), dead(1), action=Space(kind="multi_discrete", choices=(3, 3), first=(0, 0), shape=(2,))),
    ]


def conditional():
    """An amount that counts only where the first choice is to buy, which a sweep at `hold` never sees."""
    made = play("random", actions=2)
    rng = np.random.default_rng(1)
    actions = np.stack([rng.integers(0, 18, made.kept), rng.integers(0, 5, made.kept)], axis=1).astype(float)
    after = made.observations + 0.05 * rng.normal(size=made.observations.shape)
    after[:, 1] += (actions[:, 0] == 3) * actions[:, 1]
    return msgspec.structs.replace(made, actions=actions, successors=after)


def healthy():
    space = Space(kind="multi_discrete", choices=(18, 5), first=(0, 0), shape=(2,))
    return [
        world(),
        arm(sweep(0), sweep(1)),
        # a choice that does nothing in a state is another matter
        arm(dead(0), action=discrete(4)),
        arm(sweep(0), dead(1), action=space, random=conditional()),
        # nothing at all has an effect: ACT101's
        arm(dead(0), dead(1), same_whatever_done=True),
        # prices move by themselves, and the action is only paid for
        arm(paying(0)),
        arm(paying(0), paying(1)),
        # no dead dimension, but one that breaks the simulation
        arm(sweep(0), dead(1, far=np.full((6, 5), np.nan))),
    ]


def test_names_the_dimension_and_its_range():
    answer = dead_action_dimension.rule.ask(arm(sweep(0), dead(1), sweep(2)))
    assert answer.severity is Level.ERROR
    assert answer.message == (
        "1 of 3 action dimensions change neither the observation nor the reward, from -1 to 1 in each of 6 "
        "states: action[1]."
    )


def test_what_only_costs_is_a_warning_where_all_others_move_something():
    assert dead_action_dimension.rule.ask(arm(sweep(0), paying(1), sweep(2))).severity is Level.WARN
    assert dead_action_dimension.rule.ask(arm(sweep(0), paying(1), paying(2))).severity is Level.INFO


def test_an_effect_in_a_single_state_is_one():
    far = np.zeros((6, 5))
    far[4, 0] = 1e-6
    assert dead_action_dimension.rule.ask(arm(sweep(0), dead(1, far=far))) is None


def test_an_action_that_matters_but_not_in_a_sweep():
    answer = dead_action_dimension.rule.ask(arm(dead(0), random=acted(1, actions=np.ones((1000, 1)))))
    assert isinstance(answer, CannotTell)


def test_two_states_are_too_few_where_random_play_says_nothing():
    silent = acted(2, actions=None)
    assert dead_action_dimension.rule.ask(arm(sweep(0), dead(1, states=2), random=silent)) is None
    assert dead_action_dimension.rule.ask(arm(sweep(0), dead(1), random=silent)).severity is Level.ERROR


def test_some_columns_of_a_wide_observation_are_no_proof():
    wide = arm(sweep(0), dead(1), seen_columns=(0, 5, 9), observation=box(10))
    assert dead_action_dimension.rule.ask(wide).severity is Level.WARN


def test_one_state_and_random_play_are_a_warning():
    assert dead_action_dimension.rule.ask(arm(sweep(0), dead(1, states=2))).severity is Level.WARN
    assert dead_action_dimension.rule.ask(arm(sweep(0), dead(1, states=1))) is None
    assert dead_action_dimension.rule.ask(arm(sweep(0), dead(1, states=1), random=acted(2, actions=None))) is None


def test_no_dimension_has_an_effect():
    assert isinstance(dead_action_dimension.rule.ask(arm(dead(0), dead(1))), CannotTell)
