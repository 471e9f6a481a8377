from __future__ import annotations

import numpy as np

from tests.curves import noise, noisy, ramp, rising, run_of
from weaklink.base.loop import Link
from weaklink.judge.rules.reward.reward_declining import reward_declining

SWINGS = [
    13,
    14,
    15,
    13,
    15,
    32,
    38,
    78,
    111,
    216,
    154,
    173,
    229,
    279,
    263,
    152,
    190,
    165,
    146,
    188,
    215,
    185,
    149,
    148,
    137,
]
DRIFTS = np.concatenate((ramp(2, 4, 0.1, points=60), ramp(4, 1.5, 0.1, points=40)))


def sick():
    return [
        run_of(
            {"reward.episode_return": np.concatenate((rising(50, 1000, points=60), ramp(1000, -120, 30, points=40)))}
        ),
        run_of({"evaluation.return": ramp(0.1, -2.7, 0.3)}),
        run_of({"reward.mean": np.concatenate((rising(0.2, 0.8, points=70), noisy(0.25, 0.02, points=30)))}),
        run_of({"reward.mean": DRIFTS, "policy.optimal_share": np.append(noisy(0.9, 0.02, points=70), [0.05] * 30)}),
    ]


def healthy():
    # noise, a last dip within it, a wobble of a few percent on a smooth curve, ten episodes of which some were lucky
    lucky = np.abs(noisy(165, 70, seed=50, points=10))
    return [
        run_of({"reward.episode_return": np.concatenate((noisy(30, 12, points=8), lucky, noisy(100, 18, points=60)))}),
        run_of({"reward.episode_return": noisy(150, 40)}),
        run_of({"reward.episode_return": np.append(rising(20, 400, points=97), [180.0, 200.0, 390.0])}),
        # A2C on CartPole: it swings, far above its start
        run_of({"reward.episode_return": np.repeat(SWINGS, 11) + noise(25, points=275)}),
        run_of({"reward.episode_return": -5.3 + 0.25 * np.sin(np.linspace(0, 7, 200))}),
        # a bandit that drifts: the best arm pays less and is chosen as ever, but while another becomes the best
        run_of(
            {
                "reward.mean": DRIFTS,
                "policy.optimal_share": np.append(noisy(0.9, 0.02, points=90), [0.1] * 4 + [0.9] * 6),
            }
        ),
    ]


def test_a_harder_stage_that_is_logged_explains_the_fall():
    from dataclasses import replace

    from weaklink.base.evidence.series import Series
    from weaklink.base.finding import Level
    from weaklink.judge.diagnosis.engine import diagnose

    run = run_of({"reward.episode_return": np.concatenate((rising(0, 100, points=60), noisy(25, 3, points=40)))})
    stage = Series.of("curriculum/level", run["reward.episode_return"].steps, np.where(np.arange(100) < 60, 1, 2))
    finding = next(
        f for f in diagnose(replace(run, unknown={"curriculum/level": stage})).findings if f.code == "REW304"
    )
    assert finding.level is Level.INFO
    assert "curriculum/level" in finding.message


def test_all_that_is_lost_at_once_without_a_move_of_the_policy_blames_what_stands_between_it_and_the_task():
    returns = np.concatenate((rising(-40, -6, points=50), noisy(-44, 1, points=50)))
    steady = {"exploration.entropy": ramp(2.1, 1.5, 0.01), "policy.clip_fraction": np.abs(noisy(0.08, 0.02))}
    kls = {"still": np.abs(noisy(0.006, 0.002)), "jumps": np.abs(noisy(0.006, 0.002))}
    kls["jumps"][49:51] = 2.0
    told = {
        name: reward_declining.rule.ask(run_of({"reward.episode_return": returns, **steady, "policy.kl": values}))
        for name, values in kls.items()
    }
    assert {name: finding.link for name, finding in told.items()} == {"still": Link.ENVIRONMENT, "jumps": Link.REWARD}
    assert reward_declining.rule.ask(run_of({"reward.episode_return": returns})).link is Link.REWARD


def test_a_critic_that_foresaw_the_fall_and_a_policy_that_decided_show_no_other_world():
    returns = np.concatenate((rising(-40, -6, points=50), noisy(-44, 1, points=50)))
    steady = {"exploration.entropy": ramp(2.1, 1.5, 0.01), "policy.kl": np.abs(noisy(0.006, 0.002))}
    surprised = np.append(noisy(0.4, 0.02, points=50), noisy(9, 0.5, points=50))
    decides = np.append(noisy(2.1, 0.3, points=49), noisy(1.5, 0.3, points=51))
    cases = {
        "surprised": {"value.loss": surprised},
        "foreseen": {"value.loss": noisy(0.4, 0.02)},
        "decides": {"value.loss": surprised, "exploration.entropy": decides},
    }
    told = {
        name: reward_declining.rule.ask(run_of({"reward.episode_return": returns, **steady, **curves})).link
        for name, curves in cases.items()
    }
    assert told == {"surprised": Link.ENVIRONMENT, "foreseen": Link.REWARD, "decides": Link.REWARD}
