"""verl: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="verl",
    title="verl",
    tie=11,
    packages=("verl",),
    marks=("actor/pg_loss", "actor/pg_clipfrac", "actor/ppo_kl", "critic/score/mean", "critic/rewards/mean"),
)
