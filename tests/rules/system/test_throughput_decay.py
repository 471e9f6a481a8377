from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.curves import STEPS_PER_POINT, noisy, ramp, run_of
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Provenance
from weaklink.base.finding import Level
from weaklink.judge.rules.system.throughput_decay import throughput_decay

STEPS = STEPS_PER_POINT * np.arange(1, 101)


def since_the_start(rates: np.ndarray, config: dict | None = None, more: dict | None = None) -> Run:
    """A run whose trainer logs the mean rate since the start, and the whole seconds that went by."""
    elapsed = np.cumsum(STEPS_PER_POINT / rates)
    run = run_of(
        {"system.env_steps_per_second": np.floor(STEPS / elapsed), "system.elapsed": np.floor(elapsed), **(more or {})},
        config,
    )
    series = dict(run.series)
    series["system.env_steps_per_second"] = replace(
        series["system.env_steps_per_second"], provenance=Provenance("time/fps", aggregation="mean since the start")
    )
    return replace(run, series=series)


def rename(run: Run) -> Run:
    """The same rate under a name that does not say what it is a mean of."""
    rate = replace(run["system.env_steps_per_second"], provenance=Provenance("sps_of_mine", "env_steps"))
    return replace(run, series={**run.series, "system.env_steps_per_second": rate})


def decaying(start: float, end: float) -> np.ndarray:
    return np.exp(np.linspace(np.log(start), np.log(end), 100)) * noisy(1, 0.03)


def sick():
    without_times = since_the_start(decaying(900, 150))
    rest = {name: series for name, series in without_times.series.items() if name != "system.elapsed"}
    return [
        run_of({"system.env_steps_per_second": decaying(900, 200)}),
        run_of({"system.learner_steps_per_second": decaying(50, 10)}),
        since_the_start(decaying(900, 150)),
        replace(without_times, series=rest),
    ]


def healthy():
    jump = np.where(np.arange(100) < 30, 2000.0, 120.0)
    losses = np.concatenate([np.full(30, np.nan), np.ones(70)])
    return [
        run_of({"system.env_steps_per_second": noisy(900, 60)}),
        run_of({"system.env_steps_per_second": ramp(900, 620, 30)}),
        # another job on the machine for a while
        run_of({"system.env_steps_per_second": np.where((np.arange(100) > 40) & (np.arange(100) < 60), 300.0, 900.0)}),
        # off-policy: fast until learning begins, and the mean since the start sinks for long after it
        since_the_start(jump, {"algo": "sac", "learning_starts": 30 * STEPS_PER_POINT}),
        since_the_start(jump, {"algo": "dqn"}, {"value.q_loss": losses}),
        # the same under a name that no framework has: the mean since the start sinks long after learning began
        rename(since_the_start(jump, {"algo": "dqn"}, {"value.q_loss": losses})),
        # longer completions take longer
        run_of(
            {"system.learner_steps_per_second": decaying(50, 15), "task.completion_length": 1 / decaying(5e-3, 1.5e-3)}
        ),
        # too coarse: a short run in whole seconds
        since_the_start(decaying(90_000, 30_000)),
    ]


def test_one_side_that_waits_for_the_other_is_worth_knowing():
    found = throughput_decay.rule.ask(
        run_of({"system.collect_time": noisy(60, 2), "system.learn_time": noisy(1, 0.05)})
    )
    assert found.level is Level.INFO
    assert "collecting takes 60 times" in found.message


def test_what_takes_longer_by_the_same_each_time_still_decays_where_noise_hides_it():
    line, jump = (
        throughput_decay.rule.ask(run_of({"system.env_steps_per_second": 1.0 / (times * noisy(1, 0.12))}))
        for times in (ramp(2e-3, 2e-2), np.where(np.arange(100) < 45, 4e-3, 2e-2))
    )
    assert line.severity is Level.WARN
    assert jump is None or jump.severity is Level.INFO


def test_the_clock_says_what_a_rate_is_a_mean_of_whatever_its_name():
    rates = decaying(9000, 1500)
    elapsed = np.cumsum(STEPS_PER_POINT / rates)
    momentary = run_of({"system.env_steps_per_second": rates, "system.elapsed": elapsed})
    since = since_the_start(np.full(100, 900.0))
    named = replace(since["system.env_steps_per_second"], values=rates, lows=rates, highs=rates)
    run = replace(momentary, series={**momentary.series, "system.env_steps_per_second": named})
    assert throughput_decay.rule.ask(run).level is Level.WARN
    assert throughput_decay.rule.ask(since) is None
