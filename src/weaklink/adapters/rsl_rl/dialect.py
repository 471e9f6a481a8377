"""RSL-RL, legged_gym and Isaac Lab's runner on it: `Train/`, `Loss/`, `Policy/`, `Perf/`, one row an iteration.

`Episode/rew_*` and `Episode_Reward/*` are the terms of the reward. `.../time` repeats a series over seconds.
"""

from __future__ import annotations

from weaklink.base.evidence.dialect import Alias, Dialect

_HUNDRED = "mean of the last 100 episodes"
_UPDATE = "mean of the whole update"
_ENDED = "mean of the episodes that ended, by second of episode"

DIALECT = Dialect(
    framework="rsl_rl",
    names={
        "Train/mean_reward": Alias("reward.episode_return", aggregation=_HUNDRED),
        "Train/mean_episode_length": Alias("task.episode_length", aggregation=_HUNDRED),
        "Loss/value_function": Alias("value.loss", aggregation=_UPDATE),
        "Loss/value": Alias("value.loss", aggregation=_UPDATE),
        "Loss/surrogate": Alias("policy.loss", aggregation=_UPDATE),
        "Loss/entropy": Alias("exploration.entropy", aggregation=_UPDATE),
        "Loss/learning_rate": Alias("optimizer.learning_rate"),
        "Policy/mean_noise_std": Alias("exploration.action_std"),
        "Policy/mean_std": Alias("exploration.action_std"),
        "Perf/total_fps": Alias("system.env_steps_per_second"),
        "Perf/collection time": Alias("system.collect_time"),
        "Perf/collection_time": Alias("system.collect_time"),
        "Perf/learning_time": Alias("system.learn_time"),
        "Rnd/mean_extrinsic_reward": Alias("reward.component.extrinsic", aggregation=_HUNDRED),
        "Rnd/mean_intrinsic_reward": Alias("reward.component.intrinsic", aggregation=_HUNDRED),
    },
    patterns=(
        (r"Episode/rew_(.+)", Alias(r"reward.component.\1", aggregation=_ENDED)),
        (r"Episode_Reward/(.+)", Alias(r"reward.component.\1", aggregation=_ENDED)),
    ),
    ignore=(r"Train/mean_(?:reward|episode_length)/time",),
    axis="updates",
    plain=frozenset({"Loss/value", "Loss/entropy", "Loss/learning_rate"}),
)
