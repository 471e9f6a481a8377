from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of, step_change
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.rules.policy.learned_backwards import learned_backwards

FALLS = rising(22, 10, 0.4)
AT_ONCE = np.append([20.6, 19.4, 13.1], noisy(9.2, 0.3, points=36))
SPENT = {"total_timesteps": 80_000}
DECIDES = ramp(0.69, 0.2, 0.01)
EPSILON = np.concatenate([np.linspace(1.0, 0.05, 50), np.full(50, 0.05)])


def sick():
    return [
        run_of({"reward.episode_return": FALLS, "exploration.entropy": DECIDES}),
        # all is over after three updates
        run_of({"reward.episode_return": AT_ONCE, "exploration.entropy": rising(0.69, 0.05, 0.01, points=39)}, SPENT),
        run_of({"reward.episode_return": FALLS, "exploration.epsilon": EPSILON, "value.q_mean": ramp(0, 8)}),
        # it was over so soon that the first rows are all that is left of chance
        run_of(
            {
                "reward.episode_return": np.r_[19.3, 14.9, 19.9, 16.3, 15.8, 15.5, 13.8, noisy(11.2, 0.8, points=103)],
                "exploration.entropy": rising(0.69, 0.45, 0.03, points=110),
            }
        ),
        # a bandit that clicks on what nobody wants, by its successes alone
        run_of({"task.success_rate": rising(0.23, 0.03, 0.01), "exploration.entropy": DECIDES}),
        # nothing tells how decided the policy is, and it gets worse and worse
        run_of({"reward.episode_return": rising(-150, -740, 20), "policy.loss": noisy(0, 0.02)}),
    ]


def healthy():
    return [
        run_of({"reward.episode_return": rising(22, 300), "exploration.entropy": DECIDES}),
        run_of({"task.success_rate": rising(0.23, 0.8, 0.01), "exploration.entropy": DECIDES}),
        run_of({"task.success_rate": rising(0.23, 0.05, 0.01), "exploration.entropy": noisy(0.69, 0.001)}),
        # nothing is learned, and nothing unlearned
        run_of({"reward.episode_return": noisy(22, 1.0), "exploration.entropy": DECIDES}),
        # it was better in between: another fault
        run_of({"reward.episode_return": 22 + 80 * np.sin(np.linspace(0, 4, 100)), "exploration.entropy": DECIDES}),
        # a loss beside a return that wanders, or falls in one place
        run_of({"reward.episode_return": noisy(22, 1.0), "policy.loss": noisy(0, 0.02)}),
        run_of({"reward.episode_return": step_change(22, 19, 0.9, 1.0), "policy.loss": noisy(0, 0.02)}),
        # a learner of values says nothing of what it tries at random
        run_of({"reward.episode_return": FALLS, "value.q_loss": noisy(1, 0.1)}, {"algo": "dqn"}),
        # as random as at first: nothing was preferred
        run_of({"reward.episode_return": FALLS, "exploration.entropy": noisy(0.69, 0.001)}),
    ]


def test_who_is_blamed_follows_from_what_is_learned():
    on_policy, _, off_policy, *_ = (learned_backwards.rule.ask(run) for run in sick())
    assert (on_policy.link, off_policy.link) == (Link.POLICY, Link.RETURNS)


def test_the_fall_of_the_return_follows_from_it():
    first = diagnose(sick()[0]).first_break
    assert first is not None
    assert first.code == "POL309"


def test_a_reward_of_the_other_sign_that_rises_is_what_is_learned_from():
    falls = {"reward.episode_return": rising(-3, -5, 0.1), "exploration.entropy": DECIDES}
    given = {"other sign": rising(0.25, 0.95), "its own": rising(-0.9, -0.2), "still": noisy(0.3, 0.01)}
    told = {
        name: learned_backwards.rule.ask(run_of({**falls, "reward.mean": values})) for name, values in given.items()
    }
    assert {name: finding.link for name, finding in told.items()} == {
        "other sign": Link.REWARD,
        "its own": Link.POLICY,
        "still": Link.POLICY,
    }


def test_values_of_the_sign_that_no_return_has_show_the_rewards_that_are_learned_from():
    falls = {"reward.episode_return": FALLS, "exploration.entropy": DECIDES}
    told = {}
    for name, values in {"negative": ramp(0, -5, 0.1), "positive": ramp(0, 5, 0.1), "untaught": noisy(0, 0.1)}.items():
        told[name] = learned_backwards.rule.ask(run_of({**falls, "value.mean": values})).link
    assert told == {"negative": Link.REWARD, "positive": Link.POLICY, "untaught": Link.POLICY}


def test_groups_that_are_all_wrong_follow_from_a_reward_that_falls():
    reward = np.clip(rising(0.14, 0.0, 0.002), 0, None)
    alike = np.clip(rising(0.05, 1.0, 0.01), 0, 1)
    curves = {"reward.mean": reward, "reward.zero_spread_fraction": alike, "exploration.entropy": ramp(1.9, 0.3, 0.01)}
    assert diagnose(run_of(curves, {"algo": "grpo"})).first_break.code == "POL309"
