from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Provenance, Series
from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.rules.reward.reward_flat import reward_flat


def _steps(values, total):
    series = Series.of(
        "reward.episode_return",
        np.linspace(total / len(values), total, len(values)),
        values,
        provenance=Provenance("ep_rew_mean", "env_steps"),
    )
    return Run(name="made", series={"reward.episode_return": series})


SURVIVED = {"reward.episode_return": np.full(100, 500.0), "task.episode_length": np.full(100, 500.0)}


def sick():
    return [
        _steps(np.zeros(100), 10_000_000),
        _steps(noisy(380, 25), 2_000_000),
        run_of({"reward.episode_return": noisy(-97, 2)}, {"total_timesteps": 200_000}),
        # the highest return from the first episode on, of a policy that chooses at random
        run_of({**SURVIVED, "exploration.entropy": noisy(0.685, 0.004)}),
    ]


def healthy():
    # learnt; solved from the first evaluation on; survived every episode; resumed in the middle
    resumed = Series.of("reward.episode_return", np.linspace(48e6, 50e6, 100), noisy(-5.5, 0.2))
    return [
        run_of({"reward.episode_return": rising(20, 400)}),
        run_of({"evaluation.return": np.full(100, 500.0)}, {"env": "CartPole-v1", "total_timesteps": 204_800}),
        run_of({"reward.episode_return": np.full(100, 1000.0), "task.episode_length": np.full(100, 1000.0)}),
        # one that is decided, and one that has become so
        run_of({**SURVIVED, "exploration.entropy": noisy(0.5, 0.004)}),
        run_of({**SURVIVED, "exploration.entropy": ramp(0.693, 0.3)}),
        Run(name="resumed", series={"reward.episode_return": resumed}),
    ]


def test_actions_make_no_difference_where_a_policy_decides_and_is_paid_as_by_chance():
    told = {}
    for name, returns, entropy in (
        ("same", noisy(21, 1.5), ramp(0.69, 0.35, 0.01)),
        ("undecided", noisy(21, 1.5), ramp(0.69, 0.66, 0.01)),
        ("rare", np.abs(noisy(0.02, 0.02)), ramp(0.69, 0.35, 0.01)),  # who hardly ever wins is paid by luck
        ("collapsed", noisy(21, 1.5), ramp(0.69, 0.02, 0.01)),  # nothing else is tried: another fault
    ):
        found = reward_flat.rule.ask(run_of({"reward.episode_return": returns, "exploration.entropy": entropy}))
        told[name] = isinstance(found, Finding) and found.link
    assert told == {"same": Link.ACTION, "undecided": Link.REWARD, "rare": Link.REWARD, "collapsed": Link.REWARD}


def test_early_in_the_budget_it_is_only_worth_knowing():
    run = run_of({"reward.episode_return": noisy(-200, 0.1)}, {"total_timesteps": 2_000_000})
    finding = next(f for f in diagnose(run).findings if f.code == "REW301")
    assert finding.level is Level.INFO


def test_a_schedule_at_its_end_shows_that_the_budget_was_spent():
    short = noisy(20, 2, seed=1, points=48)
    early = reward_flat.rule.ask(run_of({"reward.episode_return": short}))
    assert early.level is Level.INFO
    assert "150,000 steps" in early.message
    floor = np.maximum(1 - np.arange(48) / 15, 0.05)
    for spent in ({"optimizer.learning_rate": np.linspace(3e-4, 0, 48)}, {"exploration.epsilon": floor}):
        assert reward_flat.rule.ask(run_of({"reward.episode_return": short, **spent})).severity >= Level.WARN
    for going_on in ({"optimizer.learning_rate": np.full(48, 3e-4)}, {"exploration.epsilon": np.linspace(1, 0.4, 48)}):
        assert reward_flat.rule.ask(run_of({"reward.episode_return": short, **going_on})).level is Level.INFO


def test_a_thousand_unpaid_episodes_are_enough_whatever_the_rows():
    def unpaid(length):
        return run_of({"reward.episode_return": np.zeros(10), "task.episode_length": np.full(10, length)})

    assert reward_flat.rule.ask(unpaid(8.0)).severity is Level.WARN
    assert not isinstance(reward_flat.rule.ask(unpaid(500.0)), Finding)


def test_updates_of_a_rollout_of_known_size_are_held_against_a_budget_of_environment_steps():
    config = {"total_timesteps": 50_000, "num_envs": 8, "num_steps": 128}

    def counted(axis, last):
        steps = np.linspace(last / 40, last, 40)
        series = Series.of("reward.episode_return", steps, noisy(-97, 2, points=40), provenance=Provenance("r", axis))
        return Run(name="made", series={"reward.episode_return": series}, config=Config.of(config))

    levels = {
        case: reward_flat.rule.ask(counted(*case)).severity
        for case in [("updates", 48), ("step", 48), ("updates", 12), ("step", 12), ("step", 30)]
    }
    assert levels == {
        ("updates", 48): Level.WARN,
        ("step", 48): Level.WARN,
        ("updates", 12): Level.INFO,
        ("step", 12): Level.INFO,
        ("step", 30): Level.INFO,  # nobody says that these are updates
    }


def test_returns_that_are_foreseen_although_the_policy_acts_by_chance_blame_the_actions():
    flat = {"reward.episode_return": noisy(-97, 2)}
    seen = {"all": noisy(0.99, 0.002), "half": noisy(0.5, 0.05)}
    chance = {"kept": ramp(0.69, 0.62, 0.005), "gone": ramp(0.69, 0.05, 0.005)}

    def find_link(foreseen, entropy):
        curves = {**flat, "value.explained_variance": seen[foreseen], "exploration.entropy": chance[entropy]}
        return reward_flat.rule.ask(run_of(curves, {"total_timesteps": 200_000})).link

    assert find_link("all", "kept") is Link.ACTION
    assert find_link("half", "kept") is find_link("all", "gone") is Link.REWARD
