from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.engine import diagnose


def _from(curve, at, value=np.nan):
    broken = np.array(curve, dtype=float)
    broken[at:] = value
    return broken


UPDATE = ("policy.loss", "value.loss", "policy.kl", "exploration.entropy")
LOST = {name: _from(noisy(0.1, 0.01), 99) for name in (*UPDATE, "observation.mean")}
ENDED = run_of({**LOST, "policy.clip_fraction": noisy(0.1, 0.01), "reward.episode_return": rising(20, 300)})


def sick():
    spiking = noisy(1.0, 0.1)
    spiking[58:60] = 5000.0
    return [
        run_of({"policy.loss": _from(noisy(0.1, 0.01), 60), "reward.episode_return": rising(20, 300)}),
        run_of({"optimizer.loss": _from(noisy(0.1, 0.01), 60, np.inf), "optimizer.gradient_norm": spiking}),
        run_of({"policy.loss": np.full(100, np.nan), "value.loss": np.full(100, np.nan)}),
        _stepped(_from(noisy(5.0, 1.0), 99)),
        ENDED,
    ]


def _stepped(norms):
    """A run whose optimizer was seen to step on gradients that were no numbers."""
    counted = np.where(np.isnan(norms), 1.0, np.nan)
    return run_of({"optimizer.critic_gradient_norm": norms, "optimizer.critic_non_finite_gradients": counted})


def healthy():
    # nothing logged in this row; no variance to explain, no episode ended yet, a metric that discrete actions lack
    undefined = noisy(0.5, 0.1)
    undefined[[3, 40, 80]] = np.nan
    waiting = rising(20, 300)
    waiting[:5] = np.nan
    gaps = rising(20, 300)
    gaps[np.arange(100) % 10 != 0] = np.nan
    guarded = noisy(5.0, 1.0)
    guarded[[30, 70]] = np.nan
    return [
        # a last row that has an evaluation and nothing of an update
        run_of({**LOST, "evaluation.return": rising(20, 300), "policy.clip_fraction": _from(noisy(0.1, 0.01), 99)}),
        # a row without values now and then, the last one among them
        run_of({**dict.fromkeys(UPDATE, np.where(np.arange(100) % 9, 0.1, np.nan)), "policy.clip_fraction": guarded}),
        # one metric that was lost in the last row
        run_of({"policy.kl": _from(noisy(0.01, 0.001), 99), "policy.loss": noisy(0.1, 0.01)}),
        _stepped(guarded),
        run_of({"evaluation.return": gaps, "policy.kl": np.where(np.arange(100) % 2, np.nan, 0.01)}),
        run_of({"value.explained_variance": undefined, "reward.episode_return": rising(20, 300)}),
        run_of({"reward.episode_return": waiting, "policy.kl": noisy(0.01, 0.001)}),
        run_of({"exploration.action_std": np.full(100, np.nan), "policy.kl": ramp(0.01, 0.02)}),
    ]


def test_the_forerunner_is_named():
    finding = next(f for f in diagnose(sick()[1]).findings if f.code == "OPT300")
    assert "optimizer.gradient_norm" in finding.message
    assert finding.onset == 61 * 2048


def test_one_skipped_step_is_a_warning_only():
    once = noisy(0.1, 0.01)
    once[50] = np.inf
    finding = next(f for f in diagnose(run_of({"policy.loss": once})).findings if f.code == "OPT300")
    assert finding.level is Level.WARN


def test_it_comes_before_what_follows_from_it():
    fallen = np.concatenate((rising(20, 300, points=60), noisy(10, 1, points=40)))
    run = run_of({"policy.loss": _from(noisy(0.1, 0.01), 60), "reward.episode_return": fallen})
    diagnosis = diagnose(run)
    assert diagnosis.first_break.code == "OPT300"
    assert {finding.code for finding in diagnosis.under("OPT300")} >= {"REW304"}


def test_one_step_on_a_gradient_that_was_none_warns_and_two_are_an_error():
    one, two = (diagnose(_stepped(_from(noisy(5.0, 1.0), 100 - last))).findings[0] for last in (1, 2))
    assert (one.code, one.severity) == ("OPT300", Level.WARN)
    assert (two.code, two.severity) == ("OPT300", Level.ERROR)
    assert "at step 202,752" in two.message


def test_what_was_lost_in_one_row_is_blamed_on_the_observation_among_it():
    first = diagnose(ENDED).first_break
    assert (first.code, first.link) == ("OPT300", Link.OBSERVATION)


def test_a_return_that_was_a_number_when_the_loss_was_none_is_not_its_source():
    curves = {name: _from(noisy(0.1, 0.01), 60) for name in UPDATE}
    told = {}
    for later in (60, 61):
        run = run_of({**curves, "reward.episode_return": _from(rising(20, 300), later)})
        told[later] = diagnose(run).findings[0].link
    assert told == {60: Link.ENVIRONMENT, 61: Link.OPTIMIZER}
