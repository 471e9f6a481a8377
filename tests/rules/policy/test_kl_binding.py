from __future__ import annotations

from tests.curves import noisy, rising, run_of
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.policy.kl_binding import kl_binding


def sick():
    # Stable-Baselines3 stops at 1.5 times the target and logs the mean of the epoch it stopped in
    return [
        run_of({"policy.kl": noisy(0.014, 0.001), "reward.episode_return": noisy(20, 2)}, {"target_kl": 0.01}),
        run_of({"policy.kl": noisy(0.0115, 0.0008), "reward.episode_return": rising(20, 40)}, {"target_kl": 0.01}),
    ]


def healthy():
    return [
        run_of({"policy.kl": noisy(0.008, 0.004)}, {"target_kl": 0.03}),
        run_of({"policy.kl": noisy(0.01, 0.001)}, {"desired_kl": 0.01}),  # steers the learning rate
        run_of({"policy.kl": noisy(0.01, 0.001)}, {"kl_target": 0.01}),  # steers a penalty
        run_of({"policy.kl": noisy(0.01, 0.001)}, {"target_kl": 0.01, "algo": "trpo"}),
        run_of({"policy.kl": noisy(0.2, 0.01)}, {"target_kl": 0.01}),  # a spike's business
    ]


def test_cannot_tell_without_a_target():
    assert kl_binding.rule.ask(run_of({"policy.kl": noisy(0.01, 0.001)})) == CannotTell(
        ("target_kl",), "no target KL is known"
    )
