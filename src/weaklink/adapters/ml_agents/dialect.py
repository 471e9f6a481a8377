"""Unity ML-Agents: `Environment/`, `Losses/`, `Policy/`, `Self-play/`, each the mean of a summary interval.

`Policy/Epsilon` is the clip range of PPO and `Policy/Beta` the weight of the entropy bonus: neither is exploration.
"""

from __future__ import annotations

from weaklink.base.evidence.dialect import UNNAMED, Alias, Dialect

_INTERVAL = "mean of the summary interval"

DIALECT = Dialect(
    framework="ml_agents",
    names={
        "Environment/Group Cumulative Reward": Alias("reward.episode_return", aggregation="mean over the groups"),
        "Environment/Cumulative Reward": Alias("reward.episode_return", aggregation=_INTERVAL),
        "Environment/Episode Length": Alias("task.episode_length", aggregation=_INTERVAL),
        "Losses/Policy Loss": Alias("policy.loss", aggregation="absolute value (SAC: as it is)"),
        "Losses/Value Loss": Alias("value.loss", aggregation=_INTERVAL),
        "Losses/Q1 Loss": Alias("value.q_loss", aggregation="first critic"),
        "Policy/Entropy": Alias("exploration.entropy", aggregation=_INTERVAL),
        "Policy/Learning Rate": Alias("optimizer.learning_rate"),
        "Policy/Epsilon": Alias("policy.clip_range"),
        "Policy/Beta": Alias("exploration.entropy_coefficient"),
        "Policy/Continuous Entropy Coeff": Alias("exploration.temperature"),
        "Policy/Discrete Entropy Coeff": Alias("exploration.temperature"),
        "Policy/Extrinsic Value Estimate": Alias("value.mean", aggregation=_INTERVAL),
        "Policy/Extrinsic Value": Alias("value.mean", aggregation=_INTERVAL),
        "Self-play/ELO": Alias("evaluation.rating", aggregation=_INTERVAL),
        "Losses/Baseline Loss": UNNAMED,
        "Losses/Pretraining Loss": UNNAMED,
        "Policy/GAIL Beta": UNNAMED,
    },
    patterns=((r"Policy/([\w-]+) Reward", Alias(r"reward.component.\1", aggregation=_INTERVAL)),),
    ignore=(r"Is Training", r".+_hist"),
    plain=frozenset({"Policy/Entropy"}),
)
