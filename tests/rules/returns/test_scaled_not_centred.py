from __future__ import annotations

from tests.curves import noisy, ramp, run_of


def of(mean, spread):
    return run_of({"returns.advantage_mean": mean, "returns.advantage_std": spread})


def sick():
    return [of(ramp(0.4, 2.3, 0.05), noisy(0.9998, 1e-4)), of(noisy(-0.8, 0.1), noisy(1.0, 1e-3))]


def healthy():
    return [
        of(noisy(0, 1e-8), noisy(0.85, 0.1)),
        of(noisy(0, 1e-8), noisy(1.0, 1e-4)),
        of(noisy(0.05, 0.03), noisy(1.0, 1e-4)),  # weighted by tokens
        of(ramp(0.4, 2.3), noisy(1.2, 0.3)),  # never divided
        of(noisy(0, 0.6), noisy(1.0, 1e-4)),
    ]
