"""RLlib: `env_runners/` and `learners/<module>/` of the new stack, `info/learner/<policy>/` of the old one.

TensorBoard files carry the prefix `ray/tune/`. With several modules or policies, the first by name is read.
"""

from __future__ import annotations

from weaklink.base.evidence.dialect import UNNAMED, Alias, Dialect

_SMOOTHED = "mean of the last 100 episodes"
_THOUSANDTH = 0.001

_LEARNER = {
    "mean_kl_loss": Alias("policy.kl", aggregation="mean of the whole update, exact KL"),
    "kl": Alias("policy.kl", aggregation="mean of the last epoch, exact KL"),
    "curr_kl_coeff": Alias("policy.kl_coefficient"),
    "cur_kl_coeff": Alias("policy.kl_coefficient"),
    "policy_loss": Alias("policy.loss"),
    "mean_pi_loss": Alias("policy.loss"),
    "actor_loss": Alias("policy.loss"),
    "mean_IS": Alias("policy.ratio_mean"),
    "entropy": Alias("exploration.entropy"),
    "policy_entropy": Alias("exploration.entropy"),
    "curr_entropy_coeff": Alias("exploration.entropy_coefficient"),
    "entropy_coeff": Alias("exploration.entropy_coefficient"),
    "alpha_value": Alias("exploration.temperature"),
    "alpha_loss": Alias("exploration.temperature_loss"),
    "vf_loss_unclipped": Alias("value.loss", aggregation="before it is clipped"),
    "mean_vf_loss": Alias("value.loss"),
    "vf_loss": Alias("value.loss", aggregation="after it is clipped"),
    "vf_explained_var": Alias("value.explained_variance"),
    "qf_loss": Alias("value.q_loss"),
    "critic_loss": Alias("value.q_loss"),
    "qf_mean": Alias("value.q_mean"),
    "mean_q": Alias("value.q_mean"),
    "qf_max": Alias("value.q_max"),
    "max_q": Alias("value.q_max"),
    "qf_min": Alias("value.q_min"),
    "min_q": Alias("value.q_min"),
    "total_loss": Alias("optimizer.loss"),
    "default_optimizer_learning_rate": Alias("optimizer.learning_rate"),
    "cur_lr": Alias("optimizer.learning_rate"),
    "gradients_default_optimizer_global_norm": Alias("optimizer.gradient_norm"),
    "grad_gnorm": Alias("optimizer.gradient_norm"),
    "diff_num_grad_updates_vs_sampler_policy": Alias("data.staleness"),
    "num_grad_updates_lifetime": Alias("optimizer.updates"),
}

_EPISODES = {
    "episode_return_mean": Alias("reward.episode_return", aggregation=_SMOOTHED),
    "episode_reward_mean": Alias("reward.episode_return", aggregation=_SMOOTHED),
    "episode_return_min": Alias("reward.episode_return_min"),
    "episode_reward_min": Alias("reward.episode_return_min"),
    "episode_return_max": Alias("reward.episode_return_max"),
    "episode_reward_max": Alias("reward.episode_return_max"),
    "episode_len_mean": Alias("task.episode_length", aggregation=_SMOOTHED),
    "episode_len_min": Alias("task.episode_length_min"),
    "episode_len_max": Alias("task.episode_length_max"),
}

_EVALUATION = {
    "episode_return_mean": Alias("evaluation.return", aggregation="mean of the episodes of an evaluation"),
    "episode_reward_mean": Alias("evaluation.return", aggregation="mean of the episodes of an evaluation"),
    "episode_len_mean": Alias("evaluation.length", aggregation="mean of the episodes of an evaluation"),
    "episode_return_min": UNNAMED,
    "episode_reward_min": UNNAMED,
    "episode_return_max": UNNAMED,
    "episode_reward_max": UNNAMED,
}

_ROOT = {
    "num_env_steps_sampled_lifetime": Alias("system.env_steps"),
    "env_runners/num_env_steps_sampled_lifetime": Alias("system.env_steps"),
    "num_env_steps_sampled": Alias("system.env_steps"),
    "timesteps_total": Alias("system.env_steps"),
    "info/num_steps_sampled": Alias("system.env_steps"),
    "time_total_s": Alias("system.elapsed"),
    "time_this_iter_s": Alias("system.step_time"),
    "env_runners/num_env_steps_sampled_lifetime_throughput": Alias("system.env_steps_per_second"),
    "num_env_steps_sampled_throughput_per_sec": Alias("system.env_steps_per_second"),
    "timers/sample_throughput": Alias("system.env_steps_per_second", aggregation="while sampling"),
    "timers/learn_throughput": Alias("system.learner_steps_per_second", aggregation="while learning"),
    "timers/env_runner_sampling_timer": Alias("system.collect_time"),
    "timers/sample_time_ms": Alias("system.collect_time", scale=_THOUSANDTH),
    "timers/learner_update_timer": Alias("system.learn_time"),
    "timers/learn_time_ms": Alias("system.learn_time", scale=_THOUSANDTH),
    "perf/gpu_util_percent0": Alias("system.accelerator_utilisation"),
    "perf/vram_util_percent0": Alias("system.accelerator_memory"),
}

DIALECT = Dialect(
    framework="rllib",
    names={
        **{f"env_runners/{name}": alias for name, alias in _EPISODES.items()},
        **_EPISODES,
        **{f"evaluation/{name}": alias for name, alias in _EVALUATION.items()},
        **{f"learners/*/{name}": alias for name, alias in _LEARNER.items()},
        **_ROOT,
    },
    patterns=(
        (r"learners/\*/gradients_(?:actor|policy)_global_norm", Alias("optimizer.gradient_norm")),
        (r"learners/\*/gradients_(?:qf|critic)_global_norm", Alias("optimizer.critic_gradient_norm")),
        (r"learners/\*/(?:actor|policy)_learning_rate", Alias("optimizer.learning_rate")),
        (r"learners/\*/(?:qf|critic)_learning_rate", Alias("optimizer.critic_learning_rate")),
    ),
    rewrites=(
        (r"ray/tune/", ""),
        (r"(?:learners|info/learner)/[^/]+/(?:learner_stats/)?", "learners/*/"),
        (r"sampler_results/", "env_runners/"),
        (r"evaluation/(?:env_runners|sampler_results)/", "evaluation/"),
    ),
    ignore=(
        r"(?:ray/tune/)?(?:done|pid|timestamp|training_iteration|episodes_total|episodes_this_iter|warmup_time)",
        r"(?:ray/tune/)?(?:time_since_restore|timesteps_since_restore|iterations_since_restore|timesteps_this_iter)",
        r"(?:ray/tune/)?(?:config|hist_stats|trial_id|experiment_id|date)(?:/.*)?",
        r"(?:.*/)?num_(?:non_)?trainable_parameters",  # NaN in every healthy run
    ),
    plain=frozenset(_EPISODES),
)
