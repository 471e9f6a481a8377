"""Stable-Baselines3, sb3-contrib and sbx: `rollout/`, `train/`, `time/` and `eval/`."""

from __future__ import annotations

from weaklink.evidence.dialects import Alias, Dialect

_LAST_EPOCH = "mean of the last epoch"
_HUNDRED = "mean of the last 100 episodes"

DIALECT = Dialect(
    framework="sb3",
    marks=("rollout/ep_rew_mean", "time/total_timesteps", "train/policy_gradient_loss", "train/n_updates"),
    names={
        "rollout/ep_rew_mean": Alias("reward.episode_return", aggregation=_HUNDRED),
        "rollout/ep_len_mean": Alias("task.episode_length", aggregation=_HUNDRED),
        "rollout/success_rate": Alias("task.success_rate", aggregation=_HUNDRED),
        "rollout/exploration_rate": Alias("exploration.epsilon"),
        "eval/mean_reward": Alias("evaluation.return"),
        "eval/mean_ep_length": Alias("evaluation.length"),
        "eval/success_rate": Alias("evaluation.success_rate"),
        "train/approx_kl": Alias("policy.kl", aggregation=_LAST_EPOCH),
        "train/kl_divergence_loss": Alias("policy.kl"),
        "train/clip_fraction": Alias("policy.clip_fraction"),
        "train/clip_range": Alias("policy.clip_range"),
        "train/entropy_loss": Alias("exploration.entropy", scale=-1.0),
        "train/std": Alias("exploration.action_std"),
        "train/explained_variance": Alias("value.explained_variance"),
        "train/learning_rate": Alias("optimizer.learning_rate"),
        "train/learning_rate_actor": Alias("optimizer.learning_rate"),
        "train/loss": Alias("optimizer.loss"),
        "train/n_updates": Alias("optimizer.updates"),
        "train/policy_gradient_loss": Alias("policy.loss"),
        "train/policy_loss": Alias("policy.loss"),
        "train/policy_objective": Alias("policy.loss", scale=-1.0),
        "train/pg_loss": Alias("policy.loss"),
        "train/value_loss": Alias("value.loss", aggregation="mean squared error"),
        "train/actor_loss": Alias("policy.loss"),
        "train/critic_loss": Alias("value.q_loss"),
        "train/ent_coef": Alias("exploration.temperature"),
        "train/ent_coef_loss": Alias("exploration.temperature_loss"),
        "time/fps": Alias("system.env_steps_per_second", aggregation="mean since the start"),
        "time/total_timesteps": Alias("system.env_steps"),
        "time/time_elapsed": Alias("system.elapsed"),
    },
    ignore=(r"time/(iterations|episodes)", r"train/(is_line_search_success|clip_range_vf)"),
    algorithms={
        "dqn": {"train/loss": Alias("value.q_loss")},
        "qrdqn": {"train/loss": Alias("value.q_loss")},
    },
)
