from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.loop import Link
from weaklink.judge.rules.policy.no_policy_change import no_policy_change

STILL = {
    "policy.kl": np.full(100, 1e-9),
    "policy.clip_fraction": np.zeros(100),
    "reward.episode_return": noisy(20, 2),
}

LEARNS = {"reward.episode_return": rising(20, 400)}


def sick():
    return [
        run_of(STILL),
        run_of(STILL, {"n_epochs": 1, "num_minibatches": 4}),
        run_of(STILL, {"n_epochs": 10, "num_minibatches": 1}),
        # it improves, and is compared with itself
        run_of({**STILL, **LEARNS}, {"n_epochs": 10, "num_minibatches": 4}),
    ]


def healthy():
    # GRPO with one inner iteration; a schedule that ends at zero; small steps; one gradient step a rollout
    annealed = np.concatenate((noisy(0.01, 0.001, points=60), np.full(40, 1e-9)))
    return [
        run_of(
            {
                "policy.kl": np.zeros(100),
                "policy.clip_fraction": np.zeros(100),
                "reward.mean": noisy(0.4, 0.02),
                "task.completion_length": noisy(200, 9),
            }
        ),
        run_of(
            {
                "policy.kl": annealed,
                "optimizer.learning_rate": np.concatenate((np.full(60, 3e-4), np.zeros(40))),
                "reward.episode_return": noisy(450, 9),
            }
        ),
        run_of({"policy.kl": np.full(100, 1e-6), "reward.episode_return": rising(20, 400)}),
        run_of(STILL, {"n_epochs": 1, "num_minibatches": 1}),
        # one step a rollout, or who knows how many; a ratio that moves
        run_of({**STILL, **LEARNS}, {"n_epochs": 1, "num_minibatches": 1}),
        run_of({**STILL, **LEARNS}),
        run_of({**STILL, **LEARNS, "policy.ratio_mean": noisy(1.0, 0.001)}, {"n_epochs": 10}),
        run_of({**STILL, **LEARNS, "policy.clip_fraction": noisy(0.1, 0.01)}, {"n_epochs": 10}),
        run_of(STILL, {"n_epochs": 1, "n_steps": 128, "n_envs": 8, "batch_size": 1024}),
        run_of({"policy.kl": ramp(0.02, 0.004, 0.0005), "reward.episode_return": noisy(20, 2)}),
    ]


def test_an_optimizer_without_the_policy_is_told_from_a_kl_of_the_wrong_policy():
    flowing = {**STILL, "optimizer.gradient_norm": noisy(0.3, 0.02)}
    stands, moves = (
        no_policy_change.rule.ask(run_of({**flowing, "exploration.entropy": entropy}))
        for entropy in (np.full(100, 1.0986), ramp(1.0986, 0.4, 0.01))
    )
    assert (stands.link, moves.link) == (Link.OPTIMIZER, Link.POLICY)


def test_a_policy_that_stands_still_beside_a_critic_with_errors_is_in_no_optimizer():
    still = {"reward.episode_return": noisy(20, 1), "policy.kl": np.zeros(100)}
    still["exploration.entropy"] = noisy(0.69, 1e-3)
    cases = {
        "errors": {"value.loss": noisy(25, 2)},
        "nothing to learn": {"value.loss": np.full(100, 1e-7)},
        "another KL": {"value.loss": noisy(25, 2), "exploration.entropy": ramp(0.69, 0.4)},
    }
    told = {name: no_policy_change.rule.ask(run_of({**still, **curves})).link for name, curves in cases.items()}
    assert told == {"errors": Link.OPTIMIZER, "nothing to learn": Link.POLICY, "another KL": Link.POLICY}
