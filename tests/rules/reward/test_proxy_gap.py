from __future__ import annotations

import numpy as np

from tests.curves import noise, noisy, ramp, rising, run_of
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.reward.proxy_gap import proxy_gap

AT_ONCE = np.fromstring(
    "11.3 18.3 18.3 18.5 20.6 20.0 22.5 22.5 21.2 20.6 22.1 24.4 "
    "19.5 20.3 23.3 21.5 24.3 22.7 21.8 22.6 21.6 20.0 23.7 24.3",
    sep=" ",
)


def sick():
    return [
        run_of({"reward.mean": rising(0.2, 0.7), "reward.component.correctness": np.abs(noisy(0.002, 0.001))}),
        run_of({"reward.episode_return": rising(10, 200), "evaluation.success_rate": np.clip(noisy(0.1, 0.02), 0, 1)}),
        run_of({"reward.mean": rising(0.2, 0.7), "evaluation.score": ramp(0.45, 0.3, 0.01)}),
        # won and lost within the first updates
        run_of({"reward.episode_return": AT_ONCE, "task.success_rate": np.append([0.27], np.zeros(23))}),
    ]


def healthy():
    # both rise; the true measure is at its ceiling; the reward does not rise
    return [
        run_of({"reward.mean": rising(0.2, 0.7), "evaluation.score": rising(0.3, 0.55)}),
        run_of({"reward.mean": rising(0.8, 0.95), "evaluation.score": noisy(0.97, 0.005)}),
        # success comes later than the reward
        run_of({"reward.episode_return": AT_ONCE, "task.success_rate": np.zeros(24)}),
        run_of({"reward.mean": noisy(0.3, 0.02), "evaluation.score": noisy(0.3, 0.02)}),
    ]


def test_success_that_is_given_up_for_a_reward_that_goes_on_rising_is_a_gap_and_a_harder_task_is_none():
    solved = np.interp(np.linspace(0, 1, 100), [0, 0.2, 0.4, 1.0], [0.2, 1.0, 1.0, 0.4]) + noise(0.01)
    told = {}
    for name, reward in {"paid": rising(-40, 10), "lost": 40 * solved}.items():
        told[name] = proxy_gap.rule.ask(run_of({"reward.episode_return": reward, "task.success_rate": solved}))
    assert "falls" in told["paid"].message
    assert told["lost"] is None
    dip = np.where(np.arange(100) > 80, 0.85, 1.0) * np.interp(np.arange(100), [0, 20], [0.2, 1.0]) + noise(0.01)
    assert proxy_gap.rule.ask(run_of({"reward.episode_return": rising(-40, 10), "task.success_rate": dip})) is None


def test_success_that_is_never_told_says_nothing_where_episodes_that_cost_end_sooner():
    costs = {"reward.episode_return": rising(-370, -20), "task.success_rate": np.zeros(100)}
    assert proxy_gap.rule.ask(run_of({**costs, "task.episode_length": rising(160, 17)})) is None
    assert proxy_gap.rule.ask(run_of({**costs, "task.episode_length": noisy(160, 3)})) is not None


def test_success_that_is_lost_as_episodes_end_at_once_is_left_to_what_ends_them():
    cut = np.arange(40) > 20
    curves = {
        "reward.episode_return": np.where(cut, -4.5, ramp(-10, 3, points=40)),
        "task.success_rate": np.where(cut, 0.05, ramp(0.1, 0.9, points=40)),
    }
    lengths = np.where(cut, 4.0, ramp(90, 30, points=40))
    assert isinstance(proxy_gap.rule.ask(run_of({**curves, "task.episode_length": lengths})), CannotTell)


def test_a_part_of_the_reward_for_what_is_reached_measures_success():
    paid = {"reward.mean": rising(5, 100)}
    assert proxy_gap.rule.ask(run_of({**paid, "reward.component.reached": np.abs(noisy(0.05, 0.02))})) is not None
    assert proxy_gap.rule.ask(run_of({**paid, "reward.component.reached": rising(0.05, 0.9)})) is None


def test_a_strict_measure_that_multiplies_from_next_to_nothing_is_not_left_behind():
    paid = {"reward.mean": rising(0.12, 0.38)}
    assert proxy_gap.rule.ask(run_of({**paid, "evaluation.score": rising(0.005, 0.05, 0.005)})) is None
    assert proxy_gap.rule.ask(run_of({**paid, "evaluation.score": np.abs(noisy(0.005, 0.003))})) is not None


def test_costs_of_which_most_are_left_and_a_rise_in_the_first_point_are_no_way_around_the_task():
    def judge(reward, success):
        return proxy_gap.rule.ask(run_of({"reward.episode_return": reward, "task.success_rate": success}))

    never = np.abs(noisy(0.03, 0.01))
    assert judge(rising(-69, -58), never) is None
    assert judge(np.append([-0.005], np.zeros(99)), np.zeros(100)) is None
    assert judge(rising(-69, -5), never) is not None
    assert judge(rising(-69, -58), ramp(0.8, 0.1, 0.01)) is not None
