"""rl_games: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="rl_games",
    title="rl_games",
    tie=7,
    packages=("rl_games",),
    marks=("rewards/step", "episode_lengths/step", "losses/a_loss", "losses/c_loss", "info/last_lr"),
)
