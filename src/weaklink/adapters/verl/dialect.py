"""verl: `actor/`, `critic/`, `response_length/`, `timing_s/`, `perf/`, `val-core/`, one row a training step.

`actor/ppo_kl` is the size of an update; `actor/kl_loss` and `actor/reward_kl_penalty` are the KL to the reference.
`critic/score` is the reward as given, `critic/rewards` the reward less the KL penalty; both are logged without a
critic too.
"""

from __future__ import annotations

from weaklink.base.evidence.dialect import MEAN_LOG_RATIO, UNNAMED, Alias, Dialect

_GIBIBYTE = float(2**30)
_TOKENS = "mean over the tokens"

DIALECT = Dialect(
    framework="verl",
    names={
        "critic/score/mean": Alias("reward.mean", aggregation="before the KL penalty"),
        "critic/rewards/mean": Alias("reward.mean", aggregation="after the KL penalty"),
        "critic/score/min": Alias("reward.min"),
        "critic/score/max": Alias("reward.max"),
        "critic/advantages/mean": Alias("returns.advantage_mean", aggregation=_TOKENS),
        "critic/advantages/min": Alias("returns.advantage_min"),
        "critic/advantages/max": Alias("returns.advantage_max"),
        "critic/returns/mean": Alias("returns.target_mean", aggregation=_TOKENS),
        "critic/returns/min": Alias("returns.target_min"),
        "critic/returns/max": Alias("returns.target_max"),
        "critic/values/mean": Alias("value.mean", aggregation=_TOKENS),
        "critic/vpred_mean": Alias("value.mean", aggregation=_TOKENS),
        "critic/values/min": Alias("value.min"),
        "critic/values/max": Alias("value.max"),
        "critic/vf_explained_var": Alias("value.explained_variance"),
        "critic/vf_loss": Alias("value.loss"),
        "critic/vf_clipfrac": Alias("value.clip_fraction"),
        "critic/grad_norm": Alias("optimizer.critic_gradient_norm"),
        "critic/lr": Alias("optimizer.critic_learning_rate"),
        "actor/ppo_kl": Alias("policy.kl", aggregation=MEAN_LOG_RATIO),
        "actor/kl_loss": Alias("policy.kl_reference", aggregation=_TOKENS),
        "actor/reward_kl_penalty": Alias("policy.kl_reference", aggregation="of the rollout"),
        "actor/kl_coef": Alias("policy.kl_coefficient"),
        "actor/reward_kl_penalty_coeff": Alias("policy.kl_coefficient"),
        "actor/pg_clipfrac": Alias("policy.clip_fraction", aggregation=_TOKENS),
        "actor/pg_loss": Alias("policy.loss"),
        "actor/entropy": Alias("exploration.entropy", aggregation=_TOKENS),
        "actor/entropy_loss": Alias("exploration.entropy", aggregation=_TOKENS),
        "actor/grad_norm": Alias("optimizer.gradient_norm", aggregation="before clipping"),
        "actor/lr": Alias("optimizer.learning_rate"),
        "response_length/mean": Alias("task.completion_length"),
        "response_length/max": Alias("task.completion_length_max"),
        "response_length/clip_ratio": Alias("task.truncated_fraction"),
        "num_turns/mean": Alias("task.turns"),
        "tool_call_counts/mean": Alias("action.tool_calls"),
        "rollout_corr/kl": Alias("data.sampler_gap", aggregation=MEAN_LOG_RATIO),
        "training/rollout_probs_diff_mean": Alias("data.sampler_gap", aggregation="difference of probabilities"),
        "rollout_corr/rollout_is_max": Alias("data.importance_ratio_max"),
        "rollout_corr/rollout_is_eff_sample_size": Alias("policy.effective_sample_share"),
        "perf/time_per_step": Alias("system.step_time"),
        "timing_s/step": Alias("system.step_time"),
        "timing_s/gen": Alias("system.collect_time"),
        "timing_s/update_actor": Alias("system.learn_time"),
        "perf/throughput": Alias("system.tokens_per_second", aggregation="by accelerator"),
        "perf/max_memory_allocated_gb": Alias("system.memory_allocated", scale=_GIBIBYTE),
        "perf/max_memory_reserved_gb": Alias("system.memory_reserved", scale=_GIBIBYTE),
        "actor/pg_clipfrac_lower": UNNAMED,
    },
    patterns=(
        (r"val-core/.+/mean@\d+", Alias("evaluation.score", aggregation="mean of the answers to a prompt")),
        (r"val/test_score(?:/.+)?", Alias("evaluation.score")),
        (r"val-(?:core|aux)/.+", UNNAMED),
    ),
    ignore=(r"training/(?:global_step|epoch)", r"training/rollout_probs_diff_valid"),
    axis="updates",
    plain=frozenset(
        {
            "actor/entropy",
            "actor/entropy_loss",
            "actor/grad_norm",
            "actor/lr",
            "critic/grad_norm",
            "critic/lr",
            "num_turns/mean",
            "perf/throughput",
            "response_length/max",
            "response_length/mean",
        }
    ),
)
