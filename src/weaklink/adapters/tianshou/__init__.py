"""Tianshou: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="tianshou",
    title="Tianshou",
    tie=5,
    packages=("tianshou",),
    marks=(
        "training/returns_stat/mean",
        "train/returns_stat/mean",
        "test/returns_stat/mean",
        "update/update_step",
        "update/gradient_step",
        "update/loss/clip",
        "update/loss/vf",
    ),
)
