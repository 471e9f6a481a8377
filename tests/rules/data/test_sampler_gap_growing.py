from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of, step_change
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.judge.rules.data.sampler_gap_growing import sampler_gap_growing


def parted(gap):
    """Both agree to the last digit up to a quarter of the run; the return rises all the same."""
    values = np.concatenate([np.zeros(25), np.abs(noisy(gap, gap / 10, points=75))])
    return run_of({"data.sampler_gap": values, "reward.mean": rising(0.1, 0.4)})


def sick():
    # the sampler sleeps through the weight push: a jump at the third step, when the warm-up ends
    asleep = np.concatenate([[0.010, 0.018], np.abs(noisy(0.201, 0.02, points=38))])
    return [
        run_of({"data.sampler_gap": asleep, "reward.mean": noisy(0.3, 0.02, points=40)}),
        run_of({"data.sampler_gap": step_change(0.003, 0.11, 0.5, 0.0005)}),
        run_of({"data.sampler_gap": 0.004 * np.exp(np.linspace(0, 3.6, 100))}),
        parted(0.16),
    ]


def healthy():
    return [
        run_of({"data.sampler_gap": np.abs(noisy(0.015, 0.004))}),
        run_of({"data.sampler_gap": np.abs(noisy(0.08, 0.01))}),  # a quantised engine
        run_of({"data.sampler_gap": step_change(2e-5, 2e-3, 0.5, 1e-6)}),
        run_of({"data.sampler_gap": np.concatenate([np.zeros(3), np.abs(noisy(0.06, 0.004, points=97))])}),
        run_of({"data.sampler_gap": np.where(np.arange(100) == 50, 0.5, 0.01)}),
        parted(0.003),
    ]


def test_with_an_improving_return_it_is_worth_knowing():
    run = run_of({"data.sampler_gap": step_change(0.003, 0.11, 0.5, 0.0005), "reward.mean": rising(0, 1)})
    assert sampler_gap_growing.rule.ask(run).level is Level.INFO


def test_a_gap_wider_than_any_softwares_is_told_from_the_first_step_whatever_the_return_does():
    gap = {"data.sampler_gap": np.abs(noisy(0.19, 0.02))}
    found = sampler_gap_growing.rule.ask(run_of({**gap, "reward.mean": rising(0.1, 0.6)}))
    assert (found.level, found.link, found.onset) == (Level.WARN, Link.SYSTEM, 2048.0)
    spikes = np.where(np.arange(100) % 4 == 0, 0.5, 0.05) + noisy(0.0, 0.005)
    assert sampler_gap_growing.rule.ask(run_of({"data.sampler_gap": spikes})) is None


def test_weights_that_no_longer_arrive_are_a_fault_of_the_system():
    found = sampler_gap_growing.rule.ask(parted(0.16))
    assert (found.level, found.link, found.onset) == (Level.WARN, Link.SYSTEM, 26 * 2048.0)
    assert sampler_gap_growing.rule.ask(parted(0.08)).level is Level.INFO
