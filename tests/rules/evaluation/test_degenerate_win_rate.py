from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.evidence.series import Series
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.judge.rules.evaluation.degenerate_win_rate import degenerate_win_rate

RATES = ("task.success_rate", "evaluation.win_rate")


def sick():
    lost = np.concatenate([np.clip(noisy(0.2, 0.05, points=20), 0.01, 1), np.zeros(80)])
    return [
        run_of({"evaluation.win_rate": np.zeros(100)}),
        run_of({"evaluation.win_rate": np.ones(100)}),
        run_of({"evaluation.win_rate": np.minimum(ramp(40, 400), 100)}),  # in percent, always won since
        run_of({"task.success_rate": np.zeros(100), "reward.episode_return": noisy(-50, 0.1)}),
        run_of({"evaluation.success_rate": lost}),
    ]


def healthy():
    return [
        run_of({"evaluation.win_rate": np.clip(rising(0.5, 0.8), 0, 0.99)}),
        run_of({"task.success_rate": np.minimum(ramp(0, 4), 1)}),  # learnt
        run_of({"evaluation.success_rate": np.ones(100)}),
        run_of({"task.success_rate": np.maximum(ramp(-0.5, 0.9), 0)}),  # a slow start
        run_of({"evaluation.win_rate": np.where(np.arange(100) % 9 == 0, 0.1, 0.0)}),
    ]


def test_no_success_yet_with_a_rising_return_is_worth_knowing():
    run = run_of({"task.success_rate": np.zeros(100), "reward.episode_return": rising(-50, -10)})
    assert degenerate_win_rate.rule.ask(run).level is Level.INFO


def test_a_weak_opponent_that_is_always_beaten_at_last_is_worth_knowing():
    def ask(rate):
        run = run_of({"evaluation.win_rate": rate, "reward.episode_return": rising(-0.1, 0.95)})
        return degenerate_win_rate.rule.ask(run).level

    assert ask(np.minimum(ramp(0.4, 4), 1)) is Level.INFO
    assert ask(np.ones(100)) is Level.WARN  # before anything was learned


def test_a_reward_that_rises_without_success_is_another_rules_matter():
    def ask(reward):
        return degenerate_win_rate.rule.ask(run_of({"task.success_rate": np.zeros(100), "reward.mean": reward}))

    assert ask(rising(0.4, 0.98)).level is Level.INFO
    assert ask(noisy(0.4, 0.02)).level is Level.WARN


def test_names_the_opponent():
    run = run_of({"evaluation.win_rate": noisy(0.5, 0.05)})
    key = "eval/win_rate_vs_scripted"
    beaten = replace(run, unknown={key: Series.of(key, np.arange(50), np.ones(50))})
    assert key in degenerate_win_rate.rule.ask(beaten).message


def test_training_that_never_succeeds_is_the_tasks_fault_and_evaluation_its_own():
    links = [degenerate_win_rate.rule.ask(run_of({name: np.zeros(100)})).link for name in RATES]
    assert links == [Link.TASK, Link.EVALUATION]
