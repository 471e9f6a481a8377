from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.curves import ramp, rising, run_of
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Provenance, Series
from weaklink.judge.rules.action.other_shares import other_shares


def of(entropy, *shares, names=("up", "down", "right", "left")) -> Run:
    run = run_of(
        {"exploration.entropy": entropy, "reward.episode_return": rising(0, 5)}
        | {f"a_{name}": np.broadcast_to(share, 100) for name, share in zip(names, shares, strict=False)}
    )
    told = {name: series for name, series in run.series.items() if name.startswith("a_")}
    return replace(run, series={name: run.series[name] for name in run.series.keys() - told.keys()}, unknown=told)


def greedy(run: Run) -> Run:
    """The same shares, of an evaluation."""
    told = {f"eval/{key}": replace(series, provenance=Provenance(f"eval/{key}")) for key, series in run.unknown.items()}
    return replace(run, unknown=told)


def twice(left, given) -> Run:
    """The shares of two choices, as a policy draws them and as an environment is given them."""
    run = run_of({"exploration.entropy": ramp(0.69, 0.6), "reward.episode_return": ramp(9, 9, 0.1)})
    shares = {"policy/left": left, "policy/right": 1 - left, "env/left": given, "env/right": 1 - given}
    told = {key: Series.of(key, np.arange(100), share, provenance=Provenance(key)) for key, share in shares.items()}
    return replace(run, unknown=told)


def sick():
    numbered = run_of(
        {"exploration.entropy": ramp(1.09, 0.9)}
        | {f"action.share.{place}": np.full(100, share) for place, share in enumerate((0.9, 0.1, 0.0))}
    )
    return [of(ramp(1.386, 1.1), 0.25, 0.5, 0.0, 0.25), numbered, twice(ramp(0.5, 0.6), np.ones(100))]


def healthy():
    return [
        twice(ramp(0.5, 0.6), ramp(0.53, 0.58)),
        # noise that is put onto what the policy draws
        twice(ramp(0.5, 0.9), 0.8 * ramp(0.5, 0.9) + 0.1),
        of(ramp(1.386, 1.3), 0.25, 0.25, 0.25, 0.25),
        of(ramp(1.386, 0.0), ramp(0.25, 0.5), ramp(0.25, 0.5), ramp(0.25, 0.0), ramp(0.25, 0.0)),  # learned
        of(ramp(2.0, 1.6), 0.25, 0.5, 0.0, 0.25),  # in bits, or of another space
        of(ramp(1.386, 1.1), 0.25, 0.5, 0.0, 0.6),  # no shares
        greedy(of(ramp(1.386, 1.1), 0.25, 0.5, 0.0, 0.25)),
    ]


def test_an_action_that_is_never_sent_is_named():
    assert "a_right never" in other_shares.rule.ask(sick()[0]).message
