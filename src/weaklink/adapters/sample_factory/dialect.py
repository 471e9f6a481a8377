"""Sample Factory 2: `reward/reward`, `len/len`, `policy_stats/`, `perf/` and `train/`, over environment frames.

Signs and scales are those of `algo/learning/learner.py` and `algo/runners/runner.py`, from 2.0.2 to the end of 2025:

- `train/` is one minibatch, not a mean: in half of the rows the last one of an update, otherwise a random one. KL,
  clip fraction and ratios are always of the last one, before its step: with one minibatch an update and no lag they
  are 0, 0 and 1.
- `entropy` is in nats, summed over the parts of an action. `kl_divergence` is the exact KL of the new policy to the
  one that collected. `policy_loss` is the clipped surrogate alone, `value_loss` is times `value_loss_coeff`.
- `ratio_mean` is the mean of |1 - ratio|, not of the ratio. All ratios are clamped to 0.05 and 20.
- `grad_norm` is measured after clipping. `value` is in units of normalised returns by default.
- `adv_std` is taken before advantages are normalised; `adv_min` and `adv_max` after it in 2.0, before it later.
- `version_diff` counts optimizer steps. Frames and lengths count skipped frames too. With batched sampling the return
  is the sum of the scaled and clipped rewards.
"""

from __future__ import annotations

from weaklink.base.evidence.dialect import UNNAMED, Alias, Dialect

_RECENT = "last 100 episodes"
_MINIBATCH = "one minibatch"
_LAST = "last minibatch of an update, before its step"

DIALECT = Dialect(
    framework="sample_factory",
    names={
        "reward/reward": Alias("reward.episode_return", aggregation=f"mean of the {_RECENT}"),
        "reward/reward_min": Alias("reward.episode_return_min", aggregation=_RECENT),
        "reward/reward_max": Alias("reward.episode_return_max", aggregation=_RECENT),
        "len/len": Alias("task.episode_length", aggregation=f"mean of the {_RECENT}"),
        "len/len_min": Alias("task.episode_length_min", aggregation=_RECENT),
        "len/len_max": Alias("task.episode_length_max", aggregation=_RECENT),
        "policy_stats/avg_true_objective": Alias("evaluation.score", aggregation=f"{_RECENT} of training"),
        "perf/_fps": Alias("system.env_steps_per_second", aggregation="all policies"),
        "perf/_sample_throughput": UNNAMED,  # by wall-clock, which both rates of the vocabulary are not
        "train/env_steps": Alias("system.env_steps"),
        "train/actual_lr": Alias("optimizer.learning_rate"),
        "train/lr": Alias("optimizer.learning_rate", aggregation="before it is lowered for invalid samples"),
        "train/loss": Alias("optimizer.loss", aggregation=_MINIBATCH),
        "train/policy_loss": Alias("policy.loss", aggregation=_MINIBATCH),
        "train/value_loss": Alias("value.loss", aggregation=f"{_MINIBATCH}, times its coefficient"),
        "train/entropy": Alias("exploration.entropy", aggregation=_MINIBATCH),
        "train/action_stddev_mean": Alias("exploration.action_std", aggregation=_MINIBATCH),
        "train/action_stddev_min": Alias("exploration.action_std_min", aggregation=_MINIBATCH),
        "train/kl_divergence": Alias("policy.kl", aggregation=_LAST),
        "train/fraction_clipped": Alias("policy.clip_fraction", aggregation=_LAST),
        "train/ratio_min": Alias("policy.ratio_min", aggregation=_LAST),
        "train/ratio_max": Alias("policy.ratio_max", aggregation=_LAST),
        "train/version_diff_avg": Alias("data.staleness", aggregation=_MINIBATCH),
        "train/version_diff_max": Alias("data.staleness_max", aggregation=_MINIBATCH),
        "train/same_policy_fraction": UNNAMED,
        "train/valids_fraction": UNNAMED,
        "train/ratio_mean": UNNAMED,
        "train/grad_norm": UNNAMED,
        "train/value": UNNAMED,
        "train/kl_loss": UNNAMED,  # times its coefficient, which is 0 by default
        "train/exploration_loss": UNNAMED,
    },
    patterns=((r"train/adv_.+", UNNAMED),),
    ignore=(r"zz_pbt/.+",),
    plain=frozenset(
        {
            "train/env_steps",
            "train/lr",
            "train/loss",
            "train/policy_loss",
            "train/value_loss",
            "train/entropy",
            "train/ratio_min",
            "train/ratio_max",
            "train/ratio_mean",
            "train/grad_norm",
            "train/value",
            "train/kl_loss",
            r"train/adv_.+",
        }
    ),
)
