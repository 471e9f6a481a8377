from __future__ import annotations

from tests.curves import noisy, rising, run_of
from weaklink.base.finding import Level
from weaklink.judge.rules.returns.discount_too_short import discount_too_short


def made(gamma, length, **more):
    return run_of({"task.episode_length": [length] * 30}, {"gamma": gamma, "algo": "dqn", **more})


def sick():
    return [made(0.0, 188.0), made(0.0, 8.0), made(0, 2.5), made(0.9, 1000.0)]


def healthy():
    return [
        made(0.99, 1000.0),
        made(0.9, 50.0),
        # a bandit ends after each decision
        made(0.0, 1.0),
        made(1.0, 500.0),
        # what gamma means for a language model is another matter
        made(0.0, 100.0, algo="grpo"),
    ]


def test_a_short_horizon_is_worth_knowing_and_none_at_all_is_an_alarm():
    assert discount_too_short.rule.ask(made(0.9, 1000.0)).severity is Level.INFO
    assert discount_too_short.rule.ask(made(0.0, 8.0)).severity is Level.WARN


def shown(gamma, returns):
    """A run whose targets show another discount than the one that was set."""
    curves = {"task.episode_length": [120.0] * 100, "returns.gamma": [gamma] * 100, "reward.episode_return": returns}
    return run_of(curves, {"gamma": 0.97, "algo": "a2c"})


def test_the_discount_that_targets_show_counts_more_than_the_one_that_was_set():
    assert discount_too_short.rule.ask(shown(0.097, noisy(20, 2))).severity is Level.WARN
    assert discount_too_short.rule.ask(shown(0.97, noisy(20, 2))) is None
    # what learns all the same is only worth knowing
    assert discount_too_short.rule.ask(shown(0.097, rising(20, 400))).severity is Level.INFO


def test_a_horizon_is_held_against_the_length_of_an_episode():
    returns = {"reward.episode_return": rising(17, 21, 0.2)}
    of = {length: run_of({"task.episode_length": noisy(length, 0.5), **returns}, {"gamma": 0.2}) for length in (17, 6)}
    assert discount_too_short.rule.ask(of[17]).severity is Level.WARN
    assert discount_too_short.rule.ask(of[6]) is None


def test_what_was_set_so_low_is_an_alarm_although_the_next_reward_alone_teaches_something():
    curves = {"task.episode_length": noisy(57, 5), "reward.episode_return": rising(-10, -2)}
    low, higher = (discount_too_short.rule.ask(run_of(curves, {"gamma": gamma})) for gamma in (0.1, 0.5))
    assert (low.severity, higher) == (Level.WARN, None)


def test_a_short_horizon_alone_is_no_alarm_where_the_course_of_the_return_is_not_known():
    few = {"task.episode_length": [20.0] * 7, "reward.episode_return": rising(15, 20, points=7)}
    found = discount_too_short.rule.ask(run_of(few, {"gamma": 0.5, "algo": "ppo"}))
    assert found is None or found.severity is Level.INFO
