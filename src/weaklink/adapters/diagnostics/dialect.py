"""The diagnostics module for TorchRL trainers: `diagnostics/`, `gradients/`, `q_values/` and `episode/`."""

from __future__ import annotations

from weaklink.base.evidence.dialect import Alias, Dialect

DIALECT = Dialect(
    framework="diagnostics",
    names={
        "diagnostics/explained_variance": Alias("value.explained_variance"),
        "diagnostics/entropy": Alias("exploration.entropy"),
        "diagnostics/entropy_proxy": Alias("exploration.entropy", aggregation="minus the mean log-probability"),
        "diagnostics/action_std_min": Alias("exploration.action_std_min"),
        "diagnostics/action_std_mean": Alias("exploration.action_std"),
        "diagnostics/advantage_mean": Alias("returns.advantage_mean"),
        "diagnostics/advantage_std": Alias("returns.advantage_std"),
        "diagnostics/advantage_abs_max": Alias("returns.advantage_abs_max"),
        "diagnostics/advantage_min": Alias("returns.advantage_min"),
        "diagnostics/advantage_max": Alias("returns.advantage_max"),
        "diagnostics/value_mean": Alias("value.mean"),
        "diagnostics/value_std": Alias("value.std"),
        "diagnostics/value_target_mean": Alias("returns.target_mean"),
        "diagnostics/value_target_std": Alias("returns.target_std"),
        "diagnostics/q_value_spread": Alias("value.q_twin_spread"),
        "diagnostics/clip_fraction": Alias("policy.clip_fraction"),
        "diagnostics/kl": Alias("policy.kl"),
        "diagnostics/kl_approx": Alias("policy.kl"),
        "gradients/grad_norm": Alias("optimizer.gradient_norm"),
        "gradients/actor_grad_norm": Alias("optimizer.gradient_norm"),
        "gradients/critic_grad_norm": Alias("optimizer.critic_gradient_norm"),
        "q_values/q1_mean": Alias("value.q_mean", aggregation="first critic"),
        "q_values/q2_mean": Alias("value.q2_mean", aggregation="second critic"),
        "q_values/q1_max": Alias("value.q_max", aggregation="first critic"),
        "q_values/q1_min": Alias("value.q_min", aggregation="first critic"),
        "episode/mean_reward": Alias("reward.episode_return"),
        "episode/std_reward": Alias("reward.episode_return_std"),
        "episode/min_reward": Alias("reward.episode_return_min"),
        "episode/max_reward": Alias("reward.episode_return_max"),
        "episode/mean_length": Alias("task.episode_length"),
    },
    plain=frozenset({"episode/mean_reward", "episode/mean_length", "episode/max_reward", "episode/min_reward"}),
)
