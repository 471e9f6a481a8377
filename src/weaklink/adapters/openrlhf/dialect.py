"""OpenRLHF, its keys with `train/` and `eval/` before them as its loggers write them, or without.

`kl` is the distance to the reference, `ppo_kl` the size of an update, `vllm_kl` the gap between sampler and trainer;
`entropy_loss` is the entropy itself, which the trainer subtracts from the loss.
"""

from __future__ import annotations

from weaklink.base.evidence.dialect import MEAN_LOG_RATIO, UNNAMED, Alias, Dialect

_TOKENS = "mean over the tokens"

_OTHER_EVALUATION = r"eval_.+"

DIALECT = Dialect(
    framework="openrlhf",
    names={
        "reward": Alias("reward.mean"),
        "group_reward_std": Alias("reward.group_std", aggregation="mean over the groups"),
        "kl": Alias("policy.kl_reference", aggregation=_TOKENS),
        "kl_coef": Alias("policy.kl_coefficient"),
        "ppo_kl": Alias("policy.kl", aggregation=MEAN_LOG_RATIO),
        "ppo_clip_ratio": Alias("policy.clip_fraction", aggregation=_TOKENS),
        "clip_ratio": Alias("policy.clip_fraction", aggregation=_TOKENS),
        "policy_loss": Alias("policy.loss"),
        "entropy_loss": Alias("exploration.entropy", aggregation=_TOKENS),
        "critic_loss": Alias("value.loss"),
        "values": Alias("value.mean", aggregation=_TOKENS),
        "vllm_kl": Alias("data.sampler_gap", aggregation=_TOKENS),
        "response_length": Alias("task.completion_length"),
        "truncated": Alias("task.truncated_fraction"),
        "actor_lr": Alias("optimizer.learning_rate"),
        "critic_lr": Alias("optimizer.critic_learning_rate"),
        "actor_grad_norm": Alias("optimizer.gradient_norm"),
        "critic_grad_norm": Alias("optimizer.critic_gradient_norm"),
        "timing/generation": Alias("system.collect_time"),
        "timing/make_experience": Alias("system.collect_time"),
        "timing/ppo_train": Alias("system.learn_time"),
        "timing/step_total": Alias("system.step_time"),
        "return": UNNAMED,  # the reward less the KL penalty
        "score": UNNAMED,
        "total_length": UNNAMED,
        "logprobs_diff": UNNAMED,
        "dynamic_filtering_pass_rate": UNNAMED,
    },
    patterns=((r"eval_(?:.+_)?pass1", Alias("evaluation.score")), (_OTHER_EVALUATION, UNNAMED)),
    rewrites=((r"train/", ""), (r"eval/(?:eval_)?", "eval_")),
    ignore=(r"(?:train|eval)/(?:global_step|epoch)",),
    axis="updates",
    plain=frozenset(
        {
            "reward",
            "kl",
            "kl_coef",
            "clip_ratio",
            "policy_loss",
            "entropy_loss",
            "critic_loss",
            "values",
            "response_length",
            "truncated",
            "actor_lr",
            "critic_lr",
            "actor_grad_norm",
            "critic_grad_norm",
            "return",
            "score",
            "total_length",
            _OTHER_EVALUATION,
        }
    ),
)
