"""TRL: GRPO, RLOO and their kin, the PPO trainers of old, and DPO; with `train/` before each key or without.

`kl` is the distance to the reference model, not the size of an update. Keys of an evaluation begin with `eval_`.
"""

from __future__ import annotations

from weaklink.base.evidence.dialect import MEAN_LOG_RATIO, UNNAMED, Alias, Dialect

_SEQUENCE = "sum over the tokens of a completion"
_UPDATE = "mean of the whole update"

# PPOTrainer, in the trainers up to 0.11 (`ppo/`, `env/`) and in the later ones (`objective/`, `policy/`, `val/`)
_PPO = {
    "objective/scores": Alias("reward.mean"),
    "ppo/mean_scores": Alias("reward.mean"),
    "env/reward_mean": Alias("reward.mean"),
    "ppo/std_scores": Alias("reward.std"),
    "env/reward_std": Alias("reward.std"),
    "objective/non_score_reward": Alias("reward.kl_penalty", scale=-1.0, aggregation=_SEQUENCE),
    "ppo/mean_non_score_reward": Alias("reward.kl_penalty", scale=-1.0, aggregation="mean over the tokens"),
    "objective/kl": Alias("policy.kl_reference", aggregation=_SEQUENCE),
    "objective/kl_coef": Alias("policy.kl_coefficient"),
    "policy/approxkl_avg": Alias("policy.kl", aggregation=_UPDATE),
    "ppo/policy/approxkl": Alias("policy.kl", aggregation=_UPDATE),
    "ppo/policy/policykl": Alias("policy.kl", aggregation=MEAN_LOG_RATIO),
    "policy/clipfrac_avg": Alias("policy.clip_fraction", aggregation=_UPDATE),
    "ppo/policy/clipfrac": Alias("policy.clip_fraction", aggregation=_UPDATE),
    "policy/entropy_avg": Alias("exploration.entropy", aggregation=_UPDATE),
    "ppo/policy/entropy": Alias("exploration.entropy", aggregation=_UPDATE),
    "val/ratio": Alias("policy.ratio_mean", aggregation=_UPDATE),
    "val/clipfrac_avg": Alias("value.clip_fraction", aggregation=_UPDATE),
    "ppo/val/clipfrac": Alias("value.clip_fraction", aggregation=_UPDATE),
    "loss/policy_avg": Alias("policy.loss", aggregation=_UPDATE),
    "ppo/loss/policy": Alias("policy.loss", aggregation=_UPDATE),
    "loss/value_avg": Alias("value.loss", aggregation=_UPDATE),
    "ppo/loss/value": Alias("value.loss", aggregation=_UPDATE),
    "ppo/loss/total": Alias("optimizer.loss", aggregation=_UPDATE),
    "ppo/val/var_explained": Alias("value.explained_variance"),
    "ppo/val/mean": Alias("value.mean"),
    "ppo/returns/mean": Alias("returns.target_mean"),
    "ppo/policy/advantages_mean": Alias("returns.advantage_mean"),
    "ppo/learning_rate": Alias("optimizer.learning_rate"),
    "lr": Alias("optimizer.learning_rate"),
    "tokens/responses_len_mean": Alias("task.completion_length"),
    "objective/entropy": UNNAMED,  # summed over a completion, so it grows with the length
    "objective/rlhf_reward": UNNAMED,
    "val/ratio_var": UNNAMED,
    "val/num_eos_tokens": UNNAMED,
    "eps": UNNAMED,  # episodes per second
}

_GRPO = {
    "reward": Alias("reward.mean", aggregation="weighted sum of the reward functions"),
    "reward_std": Alias("reward.std", aggregation="of the batch (older versions: mean over the groups)"),
    "frac_reward_zero_std": Alias("reward.zero_spread_fraction"),
    "kl": Alias("policy.kl_reference", aggregation="mean over the tokens"),
    "entropy": Alias("exploration.entropy", aggregation="mean over the tokens"),
    "entropy_coef": Alias("exploration.entropy_coefficient"),
    "clip_ratio/region_mean": Alias("policy.clip_fraction", aggregation="mean over the tokens"),
    "clip_ratio": Alias("policy.clip_fraction", aggregation="mean over the tokens"),
    "cispo_clip_ratio": Alias("policy.clip_fraction", aggregation="mean over the tokens"),
    "policy_loss": Alias("policy.loss"),
    "loss": Alias("optimizer.loss"),
    "grad_norm": Alias("optimizer.gradient_norm", aggregation="before clipping"),
    "learning_rate": Alias("optimizer.learning_rate"),
    "completions/mean_length": Alias("task.completion_length"),
    "completion_length": Alias("task.completion_length"),
    "completions/max_length": Alias("task.completion_length_max"),
    "completions/mean_terminated_length": Alias("task.terminated_length"),
    "completions/clipped_ratio": Alias("task.truncated_fraction"),
    "tools/call_frequency": Alias("action.tool_calls"),
    "tools/failure_frequency": Alias("action.tool_failures"),
    "sampling/sampling_logp_difference/mean": Alias("data.sampler_gap"),
    "sampling/importance_sampling_ratio/max": Alias("data.importance_ratio_max"),
    "num_tokens": Alias("system.tokens"),
    "num_input_tokens_seen": Alias("system.tokens"),
    "step_time": Alias("system.step_time"),
}

_EVALUATION = {
    "eval_reward": Alias("evaluation.return", aggregation="mean of the completions of an evaluation"),
    "eval_accuracy": Alias("evaluation.score"),
    "eval_rewards/accuracies": Alias("evaluation.score", aggregation="pairs whose chosen answer wins"),
}

# DPO and KTO: implicit rewards of a preference pair, which are no parts of one reward
_PREFERENCE = {
    "rewards/chosen": Alias("reward.chosen"),
    "rewards/rejected": Alias("reward.rejected"),
    "rewards/margins": Alias("reward.margin"),
    "rewards/accuracies": Alias("reward.pair_accuracy"),
    "logps/chosen": Alias("policy.log_prob_chosen"),
    "logps/rejected": Alias("policy.log_prob_rejected"),
}

_EARLIER_REWARD = r"rewards/([^/]+)"  # up to 0.15, without `/mean`
_OTHER_REWARD = r"rewards/.+"
# what the trainer itself writes of an evaluation, a key for each of training; any other name is the user's own
_OWN_EVALUATION = tuple(f"eval_{name}" for name in (*_GRPO, *_PPO))
_OTHER_EVALUATION = r"eval_(?:rewards|completions|sampling|logps|logits|profiling|tools|clip_ratio)/.+|eval_loss"

DIALECT = Dialect(
    framework="trl",
    names={
        **_GRPO,
        **dict.fromkeys(_OWN_EVALUATION, UNNAMED),
        **_EVALUATION,
        **_PREFERENCE,
        **_PPO,
    },
    patterns=(
        (r"eval_rewards/[^/]*(?:accura|correct)[^/]*(?:/mean)?", Alias("evaluation.score")),
        (r"rewards/([^/]+)/mean", Alias(r"reward.component.\1")),
        (_EARLIER_REWARD, Alias(r"reward.component.\1")),
        (_OTHER_REWARD, UNNAMED),
        (_OTHER_EVALUATION, UNNAMED),
    ),
    rewrites=((r"train/", ""), (r"eval/(?:eval_)?", "eval_")),
    ignore=(
        r"(?:train/)?(?:train_runtime|train_samples_per_second|train_steps_per_second|train_loss|total_flos|episode)",
        r"eval[_/](?:runtime|samples_per_second|steps_per_second|epoch)",
        r"profiling/.*",
    ),
    axis="updates",
    plain=frozenset(
        {
            *_OWN_EVALUATION,
            "reward",
            "reward_std",
            "kl",
            "entropy",
            "entropy_coef",
            "clip_ratio",
            "policy_loss",
            "loss",
            "grad_norm",
            "learning_rate",
            "lr",
            "num_tokens",
            "step_time",
            "eps",
            "eval_reward",
            "eval_accuracy",
            _EARLIER_REWARD,
            _OTHER_REWARD,
            _OTHER_EVALUATION,
        }
    ),
)
