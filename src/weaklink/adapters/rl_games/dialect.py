"""rl_games (Isaac Gym, Isaac Lab): `rewards/step`, with the same series again over iterations and over seconds."""

from __future__ import annotations

from weaklink.base.evidence.dialect import UNNAMED, Alias, Dialect

_RECENT = "mean of the last 100 episodes"
_UPDATE = "mean of the whole update"

DIALECT = Dialect(
    framework="rl_games",
    names={
        "rewards/step": Alias("reward.episode_return", aggregation=_RECENT),
        "episode_lengths/step": Alias("task.episode_length", aggregation=_RECENT),
        "losses/a_loss": Alias("policy.loss", aggregation=_UPDATE),
        "losses/c_loss": Alias("value.loss", aggregation=_UPDATE),
        "losses/c1_loss": Alias("value.q_loss", aggregation="first critic"),
        "losses/entropy": Alias("exploration.entropy", aggregation=_UPDATE),
        "losses/alpha_loss": Alias("exploration.temperature_loss"),
        "info/alpha": Alias("exploration.temperature"),
        "info/kl": Alias("policy.kl", aggregation=_UPDATE),
        "info/last_lr": Alias("optimizer.learning_rate"),
        "info/cval_lr": Alias("optimizer.critic_learning_rate"),
        "info/e_clip": Alias("policy.clip_range"),
        "performance/step_inference_rl_update_fps": Alias("system.env_steps_per_second"),
        "performance/step_inference_time": Alias("system.collect_time"),
        "performance/rl_update_time": Alias("system.learn_time"),
        "shaped_rewards/step": UNNAMED,
        "scores/mean": UNNAMED,
    },
    patterns=(
        (r"Episode/rew_(.+)", Alias(r"reward.component.\1", axis="updates")),
        (r"Episode_Reward/(.+)/frame", Alias(r"reward.component.\1")),
    ),
    ignore=(r"(?:shaped_)?(?:rewards|scores|episode_lengths)/(?:iter|time)", r"info/(?:epochs|lr_mul)"),
    plain=frozenset({"losses/entropy", "losses/alpha_loss"}),
)
