from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of, step_change
from weaklink.base.finding import Level
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.rules.value.critic_not_learning import critic_not_learning

CLIMBS = rising(25, 300)
NEVER = {
    "value.explained_variance": noisy(0.01, 0.03),
    "value.loss": rising(50, 105, 5.0),
    "reward.episode_return": CLIMBS,
}


def sick():
    return [
        run_of({"value.explained_variance": noisy(1e-7, 1e-8), "reward.episode_return": noisy(-5.5, 0.2)}),
        run_of({"value.residual_variance": noisy(0.99, 0.01), "reward.episode_return": noisy(20, 2)}),
        run_of(
            {"value.loss": step_change(30.0, 3000.0, spread=5.0), "reward.episode_return": ramp(100, 5, 3)},
        ),
        # no gradient of a loss of 100 is as small as 0.2
        run_of({**NEVER, "optimizer.gradient_norm": noisy(0.2, 0.03)}),
        # beyond any value that the rewards allow, under a return that never moves
        run_of({"value.q_loss": np.exp(np.linspace(0, 16, 100)), "reward.episode_return": noisy(-200, 10)}),
    ]


def healthy():
    # a critic that knows nothing beside a return that climbs; a loss that grows with the return; nothing to explain
    return [
        run_of({"value.explained_variance": noisy(1e-4, 1e-5), "reward.episode_return": rising(-9750, -1310)}),
        run_of({"value.loss": ramp(5, 500, 5), "reward.episode_return": rising(20, 500)}),
        run_of({"value.explained_variance": noisy(0.0, 1e-9), "reward.episode_return": np.full(100, -200.0)}),
        run_of({"value.explained_variance": rising(0.0, 0.8), "reward.episode_return": noisy(20, 2)}),
        # a critic that has learned the mean, which lies beyond what it explains
        run_of({**NEVER, "value.loss": np.append([50.0, 48.0, 30.0], ramp(20, 60, 2, points=97))}),
        run_of({**NEVER, "value.explained_variance": rising(0, 0.5)}),
        # a loss of 0.7 beside returns of over a thousand, and one that grows with a critic that starts at zero
        run_of({"value.loss": step_change(0.01, 0.7, spread=1e-3), "reward.episode_return": ramp(1250, 600, 20)}),
        run_of({"value.q_loss": step_change(0.1, 40.0, spread=0.05), "reward.episode_return": noisy(-200, 10)}),
        # a solved policy that is trained on: every episode earns the most there is, and later nearly every one
        run_of(
            {
                "value.explained_variance": noisy(1e-4, 1e-5),
                "reward.episode_return": np.append(np.full(40, 500.0), noisy(494, 3, points=60)),
            }
        ),
    ]


def test_a_runaway_value_loss_is_told_as_such():
    finding = next(f for f in diagnose(sick()[2]).findings if f.code == "VAL304")
    assert "grows from" in finding.message


def test_a_critic_that_never_learned_withholds_health():
    norm = noisy(22, 3)
    for curves in (
        NEVER,
        {**NEVER, "optimizer.gradient_norm": norm},
        {**NEVER, "optimizer.gradient_norm": np.full(100, 0.5)},
    ):
        diagnosis = diagnose(run_of(curves))
        assert diagnosis.verdict is Verdict.UNCLEAR
        assert [one.level for one in diagnosis.findings if one.code == "VAL304"] == [Level.INFO]
    learned = {**NEVER, "value.explained_variance": rising(0, 0.8), "optimizer.gradient_norm": norm}
    assert diagnose(run_of(learned)).verdict is Verdict.HEALTHY


def test_a_critic_that_moves_away_from_small_returns_all_the_time_diverges_and_one_of_growing_returns_does_not():
    returns = {"reward.episode_return": noisy(-0.6, 0.1), "reward.episode_return_max": np.ones(100)}
    away = {"value.loss": ramp(1, 160, 0.5) ** 1.0, "value.mean": ramp(0.1, 13.5, 0.02)}
    found = critic_not_learning.rule.ask(run_of({**returns, **away}))
    assert "away from its targets" in found.message
    for healthy in (
        {"value.mean": ramp(0.1, 0.9, 0.01)},
        {"value.loss": rising(1, 160)[::-1]},
        {"reward.episode_return_max": np.full(100, 20.0)},
    ):
        assert critic_not_learning.rule.ask(run_of({**returns, **away, **healthy})) is None


def test_a_mean_value_that_stays_at_nothing_beside_returns_on_one_side_is_no_critic_that_was_trained():
    def judge(**changed):
        curves = {
            "value.mean": noisy(-0.02, 0.01),
            "value.explained_variance": noisy(0.0, 0.02),
            "value.loss": noisy(28, 3),
            "reward.episode_return": rising(-1200, -1030, 20),
        }
        return critic_not_learning.rule.ask(run_of({**curves, **changed}))

    assert "the critic is not being trained" in judge().message
    others = {
        "value.mean": ramp(-0.02, -40, 0.5),
        "value.loss": noisy(1.0, 0.05),
        "value.explained_variance": ramp(0.0, 0.6, 0.02),
        "reward.episode_return": rising(-20, 30, 2),
    }
    assert {name: judge(**{name: values}) for name, values in others.items()} == dict.fromkeys(others)
