from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, run_of


def made(value, policy, kl=0.01, algo="ppo"):
    return run_of({"value.loss": value, "policy.loss": policy, "policy.kl": noisy(kl, 0.1 * kl)}, {"algo": algo})


FRESH, FRESH_POLICY = np.abs(noisy(0.2, 0.05)), noisy(-0.01, 0.005)
GLIDING = ramp(0.12, 0.10, 1e-4)


def sick():
    return [
        made(GLIDING, noisy(-0.02, 2e-4)),
        made(np.r_[FRESH[:20], GLIDING[20:]], np.r_[FRESH_POLICY[:20], noisy(-0.02, 2e-4)[20:]]),
    ]


def healthy():
    return [
        made(FRESH, FRESH_POLICY),
        # the critic of a constant reward settles, and the policy's loss scatters on
        made(GLIDING, FRESH_POLICY),
        # a learning rate of nothing: the policy does not move and its episodes stay alike
        made(GLIDING, noisy(-0.02, 2e-4), kl=1e-6),
        # replay is drawn anew from a large buffer
        made(GLIDING, noisy(-0.02, 2e-4), algo="sac"),
        # smoothed over ten updates
        made(np.convolve(np.abs(noisy(0.2, 0.05, points=109)), np.ones(10) / 10, "valid"), FRESH_POLICY),
    ]
