from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from tests.worlds import box, changed, discrete, play, with_play, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.observation.out_of_bounds import out_of_bounds


def bounded(low=-100.0, high=100.0, **plays):
    return with_play(changed(world(), observation=box(3, low, high)), **plays)


def beyond(policy="random", step=33, column=2, value=130.0):
    made = play(policy)
    made.successors[step, column] = value
    return {policy: made}


def codes(values, policy="random"):
    rows = np.resize(np.asarray(values, dtype=float), (1000, 1))
    return play(policy, length=10, episodes=100, observations=rows, successors=rows, columns=1)


def sick():
    at_reset = play("random")
    at_reset.observations[0, 0] = -101.0
    return [
        bounded(**beyond()),
        bounded(**beyond(value=-1e9)),
        bounded(random=at_reset),
        # states counted from 1
        changed(world(), observation=discrete(4), plays={"random": codes([1, 2, 3, 4])}),
        # only a constant action leads out: LunarLander with the main engine on
        bounded(**beyond("zero")),
    ]


def healthy():
    rounding = play("random")
    rounding.successors[5, 1] = 100.0 * (1 + 1e-7)
    return [
        world(),
        bounded(),
        bounded(random=rounding),
        # what is no number at all is OBS104's
        bounded(**beyond(value=np.nan)),
        bounded(**beyond(value=np.inf)),
        changed(world(), observation=discrete(4), plays={"random": codes([0, 1, 2, 3])}),
    ]


def test_says_how_many_where_and_by_how_much():
    survey = bounded(**beyond())
    answer = out_of_bounds.rule.ask(survey)
    steps = sum(each.kept for each in survey.plays.values())
    assert answer.severity is Level.ERROR
    assert answer.message == (
        f"1 of {steps:,} observations lie outside their declared bounds; the worst is observation[2] with 130 at "
        "step 33 of random play, above its bound of 100."
    )


def test_below_is_said_too():
    assert "below its bound of -100" in out_of_bounds.rule.ask(bounded(**beyond(value=-130.0))).message


def test_numbers_that_leave_under_other_policies_are_worth_knowing_only():
    assert out_of_bounds.rule.ask(bounded(**beyond("search"))).severity is Level.INFO


def test_a_choice_out_of_range_is_an_error_under_any_policy():
    survey = changed(
        world(), observation=discrete(4), plays={"random": codes([0, 1]), "search": codes([0, 4], "search")}
    )
    assert out_of_bounds.rule.ask(survey).severity is Level.ERROR


def test_random_play_comes_before_a_worse_breach_elsewhere():
    answer = out_of_bounds.rule.ask(bounded(**(beyond(value=120.0) | beyond("search", value=1e6))))
    assert "120 at step 33 of random play" in answer.message
    assert answer.message.startswith("2 of")


def test_bounds_of_the_columns_that_were_kept():
    low, high = np.full(10, -100.0), np.full(10, 100.0)
    high[7] = 0.001
    space = Space(kind="box", shape=(10,), dtype="float32", low=low, high=high)
    seen = changed(world(), observation=space, seen_columns=(1, 7, 9))
    assert "observation[7]" in out_of_bounds.rule.ask(seen).message
    assert out_of_bounds.rule.ask(changed(seen, seen_columns=(1, 2, 9))) is None


def test_could_not_tell_of_what_is_no_number():
    assert isinstance(out_of_bounds.rule.ask(changed(world(), observation=Space(kind="other"))), CannotTell)


def watched(env, steps=1500):
    """What random play sees of a real environment, with the bounds that it declares."""
    rng, rows = np.random.default_rng(0), []
    env.action_space.seed(0)
    env.reset(seed=0)
    for _ in range(steps):
        seen, _, terminated, truncated, _ = env.step(env.action_space.sample())
        rows.append(np.asarray(seen, dtype=float))
        if terminated or truncated:
            env.reset(seed=int(rng.integers(1000)))
    rows, bounds = np.array(rows), env.observation_space
    made = play("random", length=10, episodes=steps // 10, observations=rows, successors=rows, columns=rows.shape[1])
    space = box(rows.shape[1], float(bounds.low.min()), float(bounds.high.max()))
    return changed(world(), observation=space, plays={"random": made})


def clip(env, limit):
    space = gymnasium.spaces.Box(-limit, limit, env.observation_space.shape, np.float32)
    return gymnasium.wrappers.TransformObservation(
        env, lambda seen: np.clip(seen, -limit, limit).astype(np.float32), space
    )


def test_a_view_clipped_to_next_to_nothing_is_a_warning():
    answer = out_of_bounds(watched(clip(gymnasium.make("CartPole-v1"), 0.005)))
    assert answer.level == Level.WARN
    assert "clipped" in answer.message


def test_two_columns_of_three_at_their_ends_are_a_warning_though_bounds_are_infinite():
    def make():
        space = gymnasium.spaces.Box(-np.inf, np.inf, (3,), np.float32)
        limits = np.array([0.1, 0.1, 8.0])
        return gymnasium.wrappers.TransformObservation(
            gymnasium.make("Pendulum-v1"), lambda seen: np.clip(seen, -limits, limits).astype(np.float32), space
        )

    answer = out_of_bounds(watched(make()))
    assert answer.severity is Level.WARN
    assert "is -0.1 or 0.1 in" in answer.message


@pytest.mark.parametrize(
    "make",
    [
        lambda: clip(gymnasium.make("CartPole-v1"), 5.0),
        lambda: clip(gymnasium.make("CartPole-v1"), 0.5),
        lambda: clip(gymnasium.make("Pendulum-v1"), 1.0),
        lambda: clip(gymnasium.make("MountainCar-v0"), 1.2),
    ],
)
def test_what_is_clipped_now_and_then_is_not(make):
    assert out_of_bounds(watched(make())) is None


def test_switches_are_at_their_bounds_by_design():
    rng = np.random.default_rng(0)
    levels = np.where(rng.random((1000, 3)) < 0.1, rng.integers(1, 10, (1000, 3)) / 10, rng.integers(0, 2, (1000, 3)))
    one_end = np.minimum(rng.exponential(10.0, (1000, 3)), 1.0)  # distances that mostly exceed a sensor's reach
    for rows in (rng.integers(0, 2, (1000, 3)).astype(float), levels, one_end):
        made = play("random", length=10, episodes=100, observations=rows, successors=rows)
        assert out_of_bounds(changed(world(), observation=box(3, 0.0, 1.0), plays={"random": made})) is None
