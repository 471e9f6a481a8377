"""PufferLib: CleanRL's `losses/` beside `environment/`, `performance/` and a few keys without a folder.

Version 3 logs the losses of the update before the one whose row they stand in.
"""

from __future__ import annotations

from weaklink.base.evidence.dialect import Alias, Dialect

_UPDATE = "mean of an update"
_INTERVAL = "mean of the log interval"

DIALECT = Dialect(
    framework="pufferlib",
    names={
        "environment/episode_return": Alias("reward.episode_return", aggregation=_INTERVAL),
        "environment/episode_length": Alias("task.episode_length", aggregation=_INTERVAL),
        "environment/score": Alias("evaluation.score", aggregation="training episodes of the log interval"),
        "environment/perf": Alias("evaluation.score", aggregation="training episodes of the log interval"),
        "losses/approx_kl": Alias("policy.kl", aggregation=_UPDATE),
        "losses/clipfrac": Alias("policy.clip_fraction", aggregation=_UPDATE),
        "losses/importance": Alias("policy.ratio_mean", aggregation=_UPDATE),
        "losses/entropy": Alias("exploration.entropy", aggregation=_UPDATE),
        "losses/policy_loss": Alias("policy.loss", aggregation=_UPDATE),
        "losses/value_loss": Alias("value.loss", aggregation=_UPDATE),
        "losses/explained_variance": Alias("value.explained_variance", aggregation=_UPDATE),
        "learning_rate": Alias("optimizer.learning_rate"),
        "SPS": Alias("system.env_steps_per_second"),
        "agent_steps": Alias("system.env_steps"),
        "uptime": Alias("system.elapsed"),
    },
    rewrites=((r"0verview/", ""),),
    ignore=(r"0verview/epoch",),
    plain=frozenset(
        {
            "learning_rate",
            "SPS",
            "uptime",
            "losses/approx_kl",
            "losses/clipfrac",
            "losses/entropy",
            "losses/policy_loss",
            "losses/value_loss",
            "losses/explained_variance",
        }
    ),
)
