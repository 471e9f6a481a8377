import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weaklink.adapters import framework as framework_module
from weaklink.adapters.dialects import load_dialect, recognise, translate_keys
from weaklink.adapters.framework import Framework, find_framework, list_frameworks
from weaklink.base.errors import UsageError
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.dialect import MEAN_LOG_RATIO, PER_EPISODE, Alias
from weaklink.base.evidence.metrics import COLUMNS, METRICS

FRAMEWORKS = [known.name for known in list_frameworks() if known.tie]

# what each framework's real logs hold: key -> metric, or None where it has no name in the vocabulary
LOGS = {
    "sb3 ppo": (
        "sb3",
        {
            "rollout/ep_rew_mean": "reward.episode_return",
            "rollout/ep_len_mean": "task.episode_length",
            "rollout/success_rate": "task.success_rate",
            "time/fps": "system.env_steps_per_second",
            "time/total_timesteps": "system.env_steps",
            "time/time_elapsed": "system.elapsed",
            "train/approx_kl": "policy.kl",
            "train/clip_fraction": "policy.clip_fraction",
            "train/clip_range": "policy.clip_range",
            "train/entropy_loss": "exploration.entropy",
            "train/explained_variance": "value.explained_variance",
            "train/learning_rate": "optimizer.learning_rate",
            "train/loss": "optimizer.loss",
            "train/n_updates": "optimizer.updates",
            "train/policy_gradient_loss": "policy.loss",
            "train/std": "exploration.action_std",
            "train/value_loss": "value.loss",
            "eval/mean_reward": "evaluation.return",
            "eval/mean_ep_length": "evaluation.length",
        },
    ),
    "sb3 sac": (
        "sb3",
        {
            "rollout/ep_rew_mean": "reward.episode_return",
            "rollout/ep_len_mean": "task.episode_length",
            "train/actor_loss": "policy.loss",
            "train/critic_loss": "value.q_loss",
            "train/ent_coef": "exploration.temperature",
            "train/ent_coef_loss": "exploration.temperature_loss",
            "train/learning_rate": "optimizer.learning_rate",
            "train/n_updates": "optimizer.updates",
        },
    ),
    "sb3 dqn": (
        "sb3",
        {
            "rollout/ep_rew_mean": "reward.episode_return",
            "rollout/exploration_rate": "exploration.epsilon",
            "train/loss": "value.q_loss",
            "train/n_updates": "optimizer.updates",
        },
    ),
    "sb3 files": (
        "sb3",
        {
            "monitor/return": "reward.episode_return",
            "monitor/length": "task.episode_length",
            "evaluations/return": "evaluation.return",
            "evaluations/return_std": "evaluation.return_std",
            "evaluations/length": "evaluation.length",
            "evaluations/success_rate": "evaluation.success_rate",
        },
    ),
    "stable-baselines 2": (
        "sb3",
        {
            "approxkl": "policy.kl",
            "clipfrac": "policy.clip_fraction",
            "ep_len_mean": "task.episode_length",
            "ep_reward_mean": "reward.episode_return",
            "explained_variance": "value.explained_variance",
            "fps": "system.env_steps_per_second",
            "n_updates": "optimizer.updates",
            "policy_entropy": "exploration.entropy",
            "policy_loss": "policy.loss",
            "total_timesteps": "system.env_steps",
            "value_loss": "value.loss",
        },
    ),
    "cleanrl ppo": (
        "cleanrl",
        {
            "charts/episodic_return": "reward.episode_return",
            "charts/episodic_length": "task.episode_length",
            "charts/learning_rate": "optimizer.learning_rate",
            "charts/SPS": "system.env_steps_per_second",
            "losses/value_loss": "value.loss",
            "losses/policy_loss": "policy.loss",
            "losses/entropy": "exploration.entropy",
            "losses/approx_kl": "policy.kl",
            "losses/old_approx_kl": None,
            "losses/clipfrac": "policy.clip_fraction",
            "losses/explained_variance": "value.explained_variance",
            "eval/episodic_return": "evaluation.final_return",
        },
    ),
    "cleanrl sac": (
        "cleanrl",
        {
            "charts/episodic_return": "reward.episode_return",
            "losses/qf1_values": "value.q_mean",
            "losses/qf2_values": "value.q2_mean",
            "losses/qf_loss": "value.q_loss",
            "losses/actor_loss": "policy.loss",
            "losses/alpha": "exploration.temperature",
            "losses/alpha_loss": "exploration.temperature_loss",
        },
    ),
    "cleanrl jax": (
        "cleanrl",
        {
            "charts/avg_episodic_return": "reward.episode_return",
            "charts/avg_episodic_length": "task.episode_length",
            "losses/td_loss": "value.q_loss",
            "losses/q_values": "value.q_mean",
            "losses/loss": "optimizer.loss",
        },
    ),
    "rllib new stack": (
        "rllib",
        {
            "env_runners/episode_return_mean": "reward.episode_return",
            "env_runners/episode_return_max": "reward.episode_return_max",
            "env_runners/episode_len_mean": "task.episode_length",
            "num_env_steps_sampled_lifetime": "system.env_steps",
            "evaluation/env_runners/episode_return_mean": "evaluation.return",
            "learners/default_policy/policy_loss": "policy.loss",
            "learners/default_policy/vf_loss_unclipped": "value.loss",
            "learners/default_policy/vf_explained_var": "value.explained_variance",
            "learners/default_policy/entropy": "exploration.entropy",
            "learners/default_policy/mean_kl_loss": "policy.kl",
            "learners/default_policy/curr_kl_coeff": "policy.kl_coefficient",
            "learners/default_policy/curr_entropy_coeff": "exploration.entropy_coefficient",
            "learners/default_policy/total_loss": "optimizer.loss",
            "learners/default_policy/default_optimizer_learning_rate": "optimizer.learning_rate",
            "learners/default_policy/gradients_default_optimizer_global_norm": "optimizer.gradient_norm",
            "learners/default_policy/diff_num_grad_updates_vs_sampler_policy": "data.staleness",
            "learners/default_policy/weights_seq_no": None,
        },
    ),
    "rllib old stack": (
        "rllib",
        {
            "episode_reward_mean": "reward.episode_return",
            "episode_reward_min": "reward.episode_return_min",
            "episode_len_mean": "task.episode_length",
            "timesteps_total": "system.env_steps",
            "time_total_s": "system.elapsed",
            "time_this_iter_s": "system.step_time",
            "info/learner/default_policy/learner_stats/kl": "policy.kl",
            "info/learner/default_policy/learner_stats/cur_kl_coeff": "policy.kl_coefficient",
            "info/learner/default_policy/learner_stats/cur_lr": "optimizer.learning_rate",
            "info/learner/default_policy/learner_stats/vf_loss": "value.loss",
            "info/learner/default_policy/learner_stats/vf_explained_var": "value.explained_variance",
            "info/learner/default_policy/learner_stats/entropy": "exploration.entropy",
            "evaluation/episode_reward_mean": "evaluation.return",
        },
    ),
    "rllib tensorboard": (
        "rllib",
        {
            "ray/tune/episode_reward_mean": "reward.episode_return",
            "ray/tune/info/learner/default_policy/policy_loss": "policy.loss",
            "ray/tune/info/learner/default_policy/kl": "policy.kl",
            "ray/tune/info/learner/default_policy/learner_stats/mean_q": "value.q_mean",
            "ray/tune/perf/ram_util_percent": None,
        },
    ),
    "skrl sac": (
        "skrl",
        {
            "Reward / Total reward (mean)": "reward.episode_return",
            "Reward / Instantaneous reward (mean)": "reward.mean",
            "Episode / Total timesteps (mean)": "task.episode_length",
            "Loss / Policy loss": "policy.loss",
            "Loss / Critic loss": "value.q_loss",
            "Loss / Entropy loss": "exploration.temperature_loss",
            "Coefficient / Entropy coefficient": "exploration.temperature",
            "Q-network / Q1 (mean)": "value.q_mean",
            "Q-network / Q2 (mean)": "value.q2_mean",
            "Target / Target (mean)": "returns.target_mean",
            "Learning / Policy learning rate": "optimizer.learning_rate",
            "Learning / Critic learning rate": "optimizer.critic_learning_rate",
            "Stats / Inference time (ms)": None,
        },
    ),
    "tianshou 2": (
        "tianshou",
        {
            "training/returns_stat/mean": "reward.episode_return",
            "training/returns_stat/std": "reward.episode_return_std",
            "training/lens_stat/mean": "task.episode_length",
            "test/returns_stat/mean": "evaluation.return",
            "test/lens_stat/mean": "evaluation.length",
            "update/loss/mean": "optimizer.loss",
            "update/actor_loss/mean": "policy.loss",
            "update/vf_loss/mean": "value.loss",
            "update/ent_loss/mean": "exploration.entropy",
            "update/ent_loss/std": None,
            "training/env_step": "system.env_steps",
            "training/collect_speed": "system.env_steps_per_second",
            "info/best_reward": None,
        },
    ),
    "tianshou 0.5": (
        "tianshou",
        {
            "train/reward": "reward.episode_return",
            "train/length": "task.episode_length",
            "test/reward": "evaluation.return",
            "test/reward_std": "evaluation.return_std",
            "update/loss": "optimizer.loss",
            "update/loss/clip": "policy.loss",
            "update/loss/vf": "value.loss",
            "update/loss/ent": "exploration.entropy",
        },
    ),
    "tianshou 1 sac": (
        "tianshou",
        {
            "train/returns_stat/mean": "reward.episode_return",
            "update/actor_loss": "policy.loss",
            "update/critic1_loss": "value.q_loss",
            "update/alpha": "exploration.temperature",
            "update/alpha_loss": "exploration.temperature_loss",
        },
    ),
    "rsl_rl": (
        "rsl_rl",
        {
            "Train/mean_reward": "reward.episode_return",
            "Train/mean_episode_length": "task.episode_length",
            "Loss/value_function": "value.loss",
            "Loss/surrogate": "policy.loss",
            "Loss/entropy": "exploration.entropy",
            "Loss/learning_rate": "optimizer.learning_rate",
            "Policy/mean_noise_std": "exploration.action_std",
            "Perf/total_fps": "system.env_steps_per_second",
            "Perf/collection time": "system.collect_time",
            "Perf/learning_time": "system.learn_time",
            "Episode/rew_tracking_lin_vel": "reward.component.tracking_lin_vel",
            "Episode_Reward/feet_air_time": "reward.component.feet_air_time",
            "Episode/terrain_level": None,
        },
    ),
    "rl_games": (
        "rl_games",
        {
            "rewards/step": "reward.episode_return",
            "episode_lengths/step": "task.episode_length",
            "losses/a_loss": "policy.loss",
            "losses/c_loss": "value.loss",
            "losses/entropy": "exploration.entropy",
            "info/kl": "policy.kl",
            "info/last_lr": "optimizer.learning_rate",
            "info/e_clip": "policy.clip_range",
            "performance/step_inference_rl_update_fps": "system.env_steps_per_second",
            "shaped_rewards/step": None,
        },
    ),
    "ml_agents": (
        "ml_agents",
        {
            "Environment/Cumulative Reward": "reward.episode_return",
            "Environment/Episode Length": "task.episode_length",
            "Losses/Policy Loss": "policy.loss",
            "Losses/Value Loss": "value.loss",
            "Policy/Entropy": "exploration.entropy",
            "Policy/Extrinsic Value Estimate": "value.mean",
            "Policy/Extrinsic Reward": "reward.component.extrinsic",
            "Policy/Curiosity Reward": "reward.component.curiosity",
            "Policy/Learning Rate": "optimizer.learning_rate",
            "Policy/Epsilon": "policy.clip_range",
            "Policy/Beta": "exploration.entropy_coefficient",
            "Self-play/ELO": "evaluation.rating",
            "Environment/Lesson Number/wall": None,
        },
    ),
    "spinningup ppo": (
        "spinningup",
        {
            "AverageEpRet": "reward.episode_return",
            "StdEpRet": "reward.episode_return_std",
            "MaxEpRet": "reward.episode_return_max",
            "MinEpRet": "reward.episode_return_min",
            "EpLen": "task.episode_length",
            "AverageEpCost": "task.cost",
            "AverageVVals": "value.mean",
            "TotalEnvInteracts": "system.env_steps",
            "LossPi": "policy.loss",
            "LossV": "value.loss",
            "Entropy": "exploration.entropy",
            "KL": "policy.kl",
            "ClipFrac": "policy.clip_fraction",
            "Time": "system.elapsed",
        },
    ),
    "spinningup sac": (
        "spinningup",
        {
            "AverageEpRet": "reward.episode_return",
            "AverageTestEpRet": "evaluation.return",
            "StdTestEpRet": "evaluation.return_std",
            "TestEpLen": "evaluation.length",
            "AverageQ1Vals": "value.q_mean",
            "AverageQ2Vals": "value.q2_mean",
            "LossQ": "value.q_loss",
            "Alpha": "exploration.temperature",
            "AverageLogPi": None,
        },
    ),
    "trl grpo": (
        "trl",
        {
            "loss": "optimizer.loss",
            "grad_norm": "optimizer.gradient_norm",
            "learning_rate": "optimizer.learning_rate",
            "num_tokens": "system.tokens",
            "step_time": "system.step_time",
            "reward": "reward.mean",
            "reward_std": "reward.std",
            "frac_reward_zero_std": "reward.zero_spread_fraction",
            "rewards/correctness_func/mean": "reward.component.correctness_func",
            "rewards/correctness_func/std": None,
            "kl": "policy.kl_reference",
            "entropy": "exploration.entropy",
            "clip_ratio/region_mean": "policy.clip_fraction",
            "clip_ratio/low_mean": None,
            "completions/mean_length": "task.completion_length",
            "completions/max_length": "task.completion_length_max",
            "completions/mean_terminated_length": "task.terminated_length",
            "completions/clipped_ratio": "task.truncated_fraction",
            "tools/call_frequency": "action.tool_calls",
            "sampling/sampling_logp_difference/mean": "data.sampler_gap",
            "sampling/importance_sampling_ratio/max": "data.importance_ratio_max",
            "eval_reward": "evaluation.return",
            "eval_exact_match": "evaluation.score",
            "eval_loss": None,
            "eval_reward_std": None,
        },
    ),
    "trl grpo 0.15 on tensorboard": (
        "trl",
        {
            "train/loss": "optimizer.loss",
            "train/reward": "reward.mean",
            "train/completion_length": "task.completion_length",
            "train/kl": "policy.kl_reference",
            "train/rewards/r1_correctness": "reward.component.r1_correctness",
            "eval/reward": "evaluation.return",
        },
    ),
    "trl ppo": (
        "trl",
        {
            "objective/kl": "policy.kl_reference",
            "objective/entropy": None,
            "objective/non_score_reward": "reward.kl_penalty",
            "objective/rlhf_reward": None,
            "objective/scores": "reward.mean",
            "policy/approxkl_avg": "policy.kl",
            "policy/clipfrac_avg": "policy.clip_fraction",
            "policy/entropy_avg": "exploration.entropy",
            "loss/policy_avg": "policy.loss",
            "loss/value_avg": "value.loss",
            "val/clipfrac_avg": "value.clip_fraction",
            "val/ratio": "policy.ratio_mean",
            "lr": "optimizer.learning_rate",
            "eps": None,
        },
    ),
    "trl ppo up to 0.11": (
        "trl",
        {
            "ppo/mean_scores": "reward.mean",
            "ppo/policy/approxkl": "policy.kl",
            "ppo/policy/entropy": "exploration.entropy",
            "ppo/val/var_explained": "value.explained_variance",
            "ppo/loss/value": "value.loss",
            "tokens/responses_len_mean": "task.completion_length",
        },
    ),
    "trl dpo": (
        "trl",
        {
            "loss": "optimizer.loss",
            "rewards/chosen": "reward.chosen",
            "rewards/rejected": "reward.rejected",
            "rewards/margins": "reward.margin",
            "rewards/accuracies": "reward.pair_accuracy",
            "eval_rewards/accuracies": "evaluation.score",
            "logps/chosen": "policy.log_prob_chosen",
        },
    ),
    "verl": (
        "verl",
        {
            "actor/pg_loss": "policy.loss",
            "actor/pg_clipfrac": "policy.clip_fraction",
            "actor/pg_clipfrac_lower": None,
            "actor/ppo_kl": "policy.kl",
            "actor/entropy": "exploration.entropy",
            "actor/kl_loss": "policy.kl_reference",
            "actor/kl_coef": "policy.kl_coefficient",
            "actor/grad_norm": "optimizer.gradient_norm",
            "actor/lr": "optimizer.learning_rate",
            "critic/score/mean": "reward.mean",
            "critic/score/max": "reward.max",
            "critic/rewards/mean": None,
            "critic/advantages/mean": "returns.advantage_mean",
            "critic/advantages/max": "returns.advantage_max",
            "critic/returns/mean": "returns.target_mean",
            "critic/values/mean": "value.mean",
            "critic/vf_loss": "value.loss",
            "critic/vf_explained_var": "value.explained_variance",
            "critic/grad_norm": "optimizer.critic_gradient_norm",
            "response_length/mean": "task.completion_length",
            "response_length/clip_ratio": "task.truncated_fraction",
            "prompt_length/mean": None,
            "num_turns/mean": "task.turns",
            "training/rollout_probs_diff_mean": "data.sampler_gap",
            "perf/throughput": "system.tokens_per_second",
            "perf/max_memory_allocated_gb": "system.memory_allocated",
            "timing_s/step": "system.step_time",
            "val-core/gsm8k/acc/mean@8": "evaluation.score",
            "val-core/gsm8k/acc/best@8/mean": None,
        },
    ),
    "openrlhf": (
        "openrlhf",
        {
            "train/policy_loss": "policy.loss",
            "train/critic_loss": "value.loss",
            "train/values": "value.mean",
            "train/kl": "policy.kl_reference",
            "train/ppo_kl": "policy.kl",
            "train/ppo_clip_ratio": "policy.clip_fraction",
            "train/vllm_kl": "data.sampler_gap",
            "train/entropy_loss": "exploration.entropy",
            "train/actor_lr": "optimizer.learning_rate",
            "train/actor_grad_norm": "optimizer.gradient_norm",
            "train/reward": "reward.mean",
            "train/return": None,
            "train/response_length": "task.completion_length",
            "train/group_reward_std": "reward.group_std",
            "train/dynamic_filtering_pass_rate": None,
            "eval/eval_math_pass1": "evaluation.score",
            "eval/eval_truncated_rate": None,
        },
    ),
    "pufferlib": (
        "pufferlib",
        {
            "SPS": "system.env_steps_per_second",
            "agent_steps": "system.env_steps",
            "uptime": "system.elapsed",
            "learning_rate": "optimizer.learning_rate",
            "environment/episode_return": "reward.episode_return",
            "environment/episode_length": "task.episode_length",
            "environment/score": "evaluation.score",
            "losses/policy_loss": "policy.loss",
            "losses/value_loss": "value.loss",
            "losses/entropy": "exploration.entropy",
            "losses/old_approx_kl": None,
            "losses/approx_kl": "policy.kl",
            "losses/clipfrac": "policy.clip_fraction",
            "losses/importance": "policy.ratio_mean",
            "losses/explained_variance": "value.explained_variance",
            "performance/env": None,
        },
    ),
    "sample_factory": (
        "sample_factory",
        {
            "reward/reward": "reward.episode_return",
            "reward/reward_min": "reward.episode_return_min",
            "reward/reward_max": "reward.episode_return_max",
            "len/len": "task.episode_length",
            "len/len_min": "task.episode_length_min",
            "len/len_max": "task.episode_length_max",
            "policy_stats/avg_true_objective": "evaluation.score",
            "policy_stats/avg_true_objective_max": None,
            "perf/_fps": "system.env_steps_per_second",
            "perf/_sample_throughput": None,
            "stats/master_process_memory_mb": None,
            "train/env_steps": "system.env_steps",
            "train/lr": None,
            "train/actual_lr": "optimizer.learning_rate",
            "train/valids_fraction": None,
            "train/same_policy_fraction": None,
            "train/grad_norm": None,
            "train/loss": "optimizer.loss",
            "train/value": None,
            "train/entropy": "exploration.entropy",
            "train/policy_loss": "policy.loss",
            "train/kl_loss": None,
            "train/value_loss": "value.loss",
            "train/exploration_loss": None,
            "train/act_min": "action.min",
            "train/act_max": "action.max",
            "train/adv_min": None,
            "train/adv_max": None,
            "train/adv_std": None,
            "train/adv_mean": None,
            "train/max_abs_logprob": None,
            "train/action_mean": None,
            "train/action_log_std_mean": None,
            "train/action_stddev_mean": "exploration.action_std",
            "train/action_stddev_min": "exploration.action_std_min",
            "train/action_stddev_max": None,
            "train/kl_divergence": "policy.kl",
            "train/kl_divergence_max": None,
            "train/value_delta": None,
            "train/fraction_clipped": "policy.clip_fraction",
            "train/ratio_mean": None,
            "train/ratio_min": "policy.ratio_min",
            "train/ratio_max": "policy.ratio_max",
            "train/num_sgd_steps": None,
            "train/adam_max_second_moment": None,
            "train/version_diff_avg": "data.staleness",
            "train/version_diff_min": None,
            "train/version_diff_max": "data.staleness_max",
            "train/returns_running_mean": None,
        },
    ),
    "torchrl trainer": (
        "torchrl",
        {
            "r_training": "reward.mean",
            "r_training_std": "reward.std",
            "loss_objective": "policy.loss",
            "loss_critic": "value.loss",
            "loss_entropy": None,
            "entropy": "exploration.entropy",
            "kl_approx": "policy.kl",
            "clip_fraction": "policy.clip_fraction",
            "ESS": "policy.effective_sample_share",
            "mean_ratio": "policy.ratio_mean",
            "max_ratio": "policy.ratio_max",
            "grad_norm_0": "optimizer.gradient_norm",
            "optim_steps": "optimizer.updates",
            "total_r_evaluation": "evaluation.return",
            "done_percentage": None,
        },
    ),
    "torchrl sac script": (
        "torchrl",
        {
            "train/reward": "reward.episode_return",
            "train/episode_length": "task.episode_length",
            "train/q_loss": "value.q_loss",
            "train/actor_loss": "policy.loss",
            "train/alpha_loss": "exploration.temperature_loss",
            "train/alpha": "exploration.temperature",
            "train/entropy": "exploration.entropy",
            "eval/reward": "evaluation.return",
            "time/speed": "system.env_steps_per_second",
        },
    ),
    "diagnostics": (
        "diagnostics",
        {
            "diagnostics/explained_variance": "value.explained_variance",
            "diagnostics/entropy_proxy": "exploration.entropy",
            "diagnostics/action_std_min": "exploration.action_std_min",
            "gradients/grad_norm": "optimizer.gradient_norm",
            "diagnostics/advantage_mean": "returns.advantage_mean",
            "diagnostics/advantage_abs_max": "returns.advantage_abs_max",
            "q_values/q1_mean": "value.q_mean",
            "q_values/q2_mean": "value.q2_mean",
            "diagnostics/q_value_spread": "value.q_twin_spread",
            "episode/mean_reward": "reward.episode_return",
        },
    ),
    "weaklink": (
        "weaklink",
        {
            "policy.kl": "policy.kl",
            "reward.episode_return": "reward.episode_return",
            "reward.component.distance": "reward.component.distance",
        },
    ),
    "own jsonl of a language run": (
        "common",
        {
            "loss": "optimizer.loss",
            "learning_rate": "optimizer.learning_rate",
            "reward_mean": "reward.mean",
            "reward_std": "reward.std",
            "kl_divergence": "policy.kl_reference",
            "response_length/mean": "task.completion_length",
            "refusal_rate": "task.refusal_rate",
        },
    ),
    "tinker": (
        "common",
        {
            "optim/lr": "optimizer.learning_rate",
            "reward/mean": "reward.mean",
            "reward/f": "reward.component.f",
            "reward/g_minus_f": "reward.component.g_minus_f",
            "policy/entropy": "exploration.entropy",
            "time/total": None,
        },
    ),
    "own batch log": (
        "common",
        {
            "avg_r_total": "reward.mean",
            "avg_r_fairness": "reward.component.fairness",
            "avg_p_structural": None,
            "accuracy": "task.success_rate",
            "lambda_fair": None,
            "n_samples": None,
        },
    ),
    "own ppo": (
        "common",
        {
            "train/MeanReward": "reward.mean",
            "train/policy_loss": "policy.loss",
            "train/value_loss": "value.loss",
            "train/entropy_loss": "exploration.entropy",
            "train/approx_kl": "policy.kl",
            "train/lr": "optimizer.learning_rate",
            "episode/length": "task.episode_length",
            "eval_reward": "evaluation.return",
            "fps": "system.env_steps_per_second",
        },
    ),
    "own dqn": (
        "common",
        {
            "episode_reward": "reward.episode_return",
            "epsilon": "exploration.epsilon",
            "loss": "optimizer.loss",
            "mean_q": "value.q_mean",
            "ep_len": "task.episode_length",
            "test/avg_return": "evaluation.return",
        },
    ),
    "omnisafe": (
        "common",
        {
            "Metrics/EpRet": "reward.episode_return",
            "Metrics/EpCost": "task.cost",
            "Metrics/EpLen": "task.episode_length",
            "Train/Entropy": "exploration.entropy",
            "Train/KL": "policy.kl",
            "Loss/Loss_pi": "policy.loss",
            "Loss/Loss_reward_critic": "value.loss",
            "Loss/Loss_cost_critic": None,
        },
    ),
    "corl": ("common", {"d4rl_normalized_score": "evaluation.score", "eval/reward_mean": "evaluation.return"}),
    "own grpo": (
        "common",
        {"loss": "optimizer.loss", "mean_reward": "reward.mean", "kl_div": "policy.kl", "memory_gb": None},
    ),
}
EVERY_LOG = pytest.mark.parametrize("log", LOGS)


def in_vocabulary(metric: str) -> bool:
    return metric in METRICS or metric.startswith(COLUMNS)


def readable(keys):
    speaks = recognise(keys)
    return speaks, [key for key in keys if not speaks.ignores(key)]


@EVERY_LOG
def test_a_log_is_recognised_and_read(log):
    framework, expected = LOGS[log]
    speaks, keys = readable(expected)
    found = translate_keys(speaks, keys, Config())
    assert speaks.framework == framework
    assert {key: found[key].metric if key in found else None for key in expected} == expected


@EVERY_LOG
def test_a_log_is_recognised_in_any_order_of_its_keys(log):
    framework, expected = LOGS[log]
    keys = list(expected)
    random.Random(0).shuffle(keys)
    assert recognise(keys).framework == framework
    ordered, shuffled = (translate_keys(load_dialect(framework), some, Config()) for some in (list(expected), keys))
    assert ordered == shuffled


@pytest.mark.parametrize(
    ("framework", "keys"),
    [
        ("sb3", ["rollout/ep_rew_mean", "rollout/ep_len_mean"]),
        ("sb3", ["rollout/ep_len_mean"]),
        ("sb3", ["time/fps", "train/loss", "train/n_updates"]),
        ("sb3", ["monitor/return", "monitor/length"]),
        ("sb3", ["evaluations/return"]),
        ("cleanrl", ["charts/episodic_return"]),
        ("cleanrl", ["losses/td_loss", "losses/q_values", "charts/SPS"]),
        ("cleanrl", ["losses/policy_loss", "losses/approx_kl", "losses/clipfrac"]),
        ("rllib", ["env_runners/episode_return_mean"]),
        ("rllib", ["learners/default_policy/entropy"]),
        ("rllib", ["ray/tune/episode_reward_mean", "ray/tune/episode_len_mean"]),
        ("rllib", ["info/learner/default_policy/kl", "episode_reward_mean"]),
        ("skrl", ["Reward / Total reward (max)"]),
        ("tianshou", ["test/returns_stat/mean"]),
        ("tianshou", ["update/actor_loss/mean", "update/vf_loss/mean"]),
        ("rsl_rl", ["Train/mean_reward"]),
        ("rsl_rl", ["Episode/rew_torques", "Policy/mean_std"]),
        ("rl_games", ["rewards/step", "rewards/iter", "rewards/time"]),
        ("ml_agents", ["Environment/Cumulative Reward"]),
        ("spinningup", ["AverageEpRet"]),
        ("spinningup", ["AverageTestEpRet", "TestEpLen"]),
        ("trl", ["completions/mean_length", "reward"]),
        ("trl", ["rewards/format/mean", "rewards/format/std"]),
        ("verl", ["critic/score/mean"]),
        ("verl", ["response_length/clip_ratio", "val-core/math/reward/mean@1"]),
        ("openrlhf", ["train/reward", "train/kl", "train/ppo_kl"]),
        ("pufferlib", ["environment/score", "losses/policy_loss"]),
        ("sample_factory", ["reward/reward", "len/len"]),
        ("sample_factory", ["train/policy_loss", "train/value_loss", "train/kl_divergence", "train/actual_lr"]),
        ("torchrl", ["loss_actor", "loss_qvalue", "alpha", "entropy"]),
        ("diagnostics", ["gradients/grad_norm", "episode/mean_reward"]),
        ("weaklink", ["policy.kl"]),
        ("common", ["reward"]),
        ("common", ["loss", "reward", "kl", "entropy", "learning_rate", "grad_norm"]),
        ("common", ["train/loss", "train/learning_rate", "eval/accuracy", "eval_loss"]),
        ("common", ["episode_reward_mean", "episode_len_mean"]),
        ("common", ["reward", "rewards/distance", "rewards/energy"]),
        ("common", ["actor_loss", "critic_loss", "alpha", "q_values"]),
        ("common", ["KL", "Entropy", "Time"]),
        ("common", ["actor_lr", "critic_lr", "actor_grad_norm"]),
        ("common", ["actor/loss", "actor/lr", "critic/lr", "critic/grad_norm"]),
        ("common", ["eval/mean_reward", "train/policy_loss", "train/value_loss"]),
        ("common", ["temperature_celsius", "humidity"]),
        ("common", []),
    ],
)
def test_a_part_of_a_log_is_enough(framework, keys):
    assert recognise(keys).framework == framework


@pytest.mark.parametrize("framework", [*FRAMEWORKS, "common"])
def test_every_alias_is_in_the_vocabulary(framework):
    speaks = load_dialect(framework)
    rows = [*speaks.names.values(), *(alias for _, alias in speaks.patterns)]
    rows += [alias for table in speaks.algorithms.values() for alias in table.values()]
    unknown = [alias.metric for alias in rows if alias.metric and not in_vocabulary(alias.metric)]
    assert not unknown
    assert speaks.framework == framework
    assert all(algorithm in speaks.algorithms for algorithm in speaks.tells.values())


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_plain_keys_are_rows_of_the_table(framework):
    speaks = load_dialect(framework)
    assert not set(speaks.plain) - set(speaks.names) - {pattern for pattern, _ in speaks.patterns}


@pytest.mark.parametrize("framework", [name for name in FRAMEWORKS if name != "weaklink"])
def test_marks_are_known_to_their_own_dialect_alone(framework):
    speaks = load_dialect(framework)
    for mark in find_framework(framework).marks:
        assert speaks.meaning(mark) is not None or speaks.ignores(mark), mark
        assert not [other.name for other in list_frameworks() if other.name != framework and mark in other.marks], mark


def test_the_common_dialect_finds_each_of_its_names():
    common = load_dialect("common")
    for name, alias in common.names.items():
        assert common.alias(name.replace("evaluation ", "eval/")) == alias, name


@pytest.mark.parametrize(
    ("framework", "key", "metric", "scale"),
    [
        ("sb3", "train/entropy_loss", "exploration.entropy", -1.0),
        ("sb3", "train/policy_objective", "policy.loss", -1.0),
        ("sb3", "loss/entropy_loss", "exploration.entropy", 1.0),
        ("sb3", "% time spent exploring", "exploration.epsilon", 0.01),
        ("cleanrl", "losses/entropy", "exploration.entropy", 1.0),
        ("rllib", "timers/learn_time_ms", "system.learn_time", 0.001),
        ("skrl", "Loss / Entropy loss", "exploration.entropy", -1.0),
        ("tianshou", "update/ent_loss/mean", "exploration.entropy", 1.0),
        ("trl", "kl", "policy.kl_reference", 1.0),
        ("trl", "objective/non_score_reward", "reward.kl_penalty", -1.0),
        ("verl", "actor/ppo_kl", "policy.kl", 1.0),
        ("verl", "actor/kl_loss", "policy.kl_reference", 1.0),
        ("verl", "actor/entropy_loss", "exploration.entropy", 1.0),
        ("verl", "perf/max_memory_reserved_gb", "system.memory_reserved", 2.0**30),
        ("openrlhf", "train/entropy_loss", "exploration.entropy", 1.0),
        ("ml_agents", "Policy/Epsilon", "policy.clip_range", 1.0),
        ("ml_agents", "Policy/Beta", "exploration.entropy_coefficient", 1.0),
    ],
)
def test_signs_and_scales(framework, key, metric, scale):
    alias = load_dialect(framework).alias(key)
    assert (alias.metric, alias.scale, alias.flips) == (metric, scale, False)


@pytest.mark.parametrize(
    ("framework", "key", "axis"),
    [
        ("tianshou", "update/vf_loss/mean", "updates"),
        ("tianshou", "training/returns_stat/mean", "env_steps"),
        ("tianshou", "info/timing/total_time", "epochs"),
        ("rsl_rl", "Train/mean_reward", "updates"),
        ("trl", "reward", "updates"),
        ("verl", "critic/score/mean", "updates"),
        ("cleanrl", "eval/episodic_return", "episodes"),
        ("sb3", "rollout/ep_rew_mean", "env_steps"),
    ],
)
def test_axes(framework, key, axis):
    speaks = load_dialect(framework)
    assert (speaks.alias(key).axis or speaks.axis) == axis


@pytest.mark.parametrize(
    ("framework", "key", "aggregation"),
    [
        ("sb3", "rollout/ep_rew_mean", "mean of the last 100 episodes"),
        ("sb3", "monitor/return", PER_EPISODE),
        ("sb3", "train/approx_kl", "mean of the last epoch"),
        ("cleanrl", "charts/episodic_return", PER_EPISODE),
        ("cleanrl", "losses/approx_kl", "last minibatch"),
        ("torchrl", "kl_approx", MEAN_LOG_RATIO),
        ("spinningup", "KL", MEAN_LOG_RATIO),
        ("verl", "actor/ppo_kl", MEAN_LOG_RATIO),
        ("openrlhf", "ppo_kl", MEAN_LOG_RATIO),
    ],
)
def test_aggregations(framework, key, aggregation):
    assert load_dialect(framework).alias(key).aggregation == aggregation


def test_skrl_divides_its_entropy_loss_by_the_coefficient():
    keys = ["Loss / Entropy loss", "Loss / Policy loss", "Loss / Value loss"]
    known_coefficient = translate_keys(load_dialect("skrl"), keys, Config.of({"entropy_loss_scale": 0.01}))
    assert known_coefficient["Loss / Entropy loss"].metric == "exploration.entropy"
    assert known_coefficient["Loss / Entropy loss"].scale == pytest.approx(-100)
    assert "Loss / Entropy loss" not in translate_keys(load_dialect("skrl"), keys, Config())


def test_the_entropy_loss_of_skrl_under_sac_is_the_loss_of_the_temperature():
    keys = ["Loss / Entropy loss"]
    for algorithm in ("SAC", "sac_rnn"):
        found = translate_keys(load_dialect("skrl"), keys, Config.of({"algorithm": algorithm}))
        assert found["Loss / Entropy loss"].metric == "exploration.temperature_loss"


@pytest.mark.parametrize(
    ("framework", "algorithm", "key"),
    [("sb3", "dqn", "train/loss"), ("cleanrl", "c51_atari", "losses/loss"), ("tianshou", "DQN", "update/loss")],
)
def test_the_loss_of_a_q_learner_is_the_loss_of_its_q_function(framework, algorithm, key):
    config = Config.of({"algorithm": algorithm})
    assert translate_keys(load_dialect(framework), [key], config)[key].metric == "value.q_loss"
    assert (
        translate_keys(load_dialect(framework), [key], Config.of({"algorithm": "ppo"}))[key].metric == "optimizer.loss"
    )


@pytest.mark.parametrize(
    ("values", "factor"),
    [
        ([-1.1, -0.9, -0.4], -1.0),
        ([1.1, 0.9, 0.4], 1.0),
        ([-1.4, -0.7, 0.2, 0.9], -1.0),  # a Gaussian that ends narrow: minus the entropy rises above 0
        ([1.4, 0.7, -0.2, -0.9], 1.0),
        ([0.0, 0.0], 1.0),
        ([], 1.0),
    ],
)
def test_the_start_of_a_run_settles_the_sign_of_an_entropy_loss(values, factor):
    assert load_dialect("common").alias("entropy_loss").factor(values) == factor


def test_the_sign_is_left_alone_where_it_is_known():
    assert load_dialect("sb3").alias("train/entropy_loss").factor([0.4, 0.5]) == -1.0
    assert Alias("value.loss").factor([-3.0]) == 1.0


def test_the_framework_s_own_key_comes_before_the_common_one():
    keys = ["entropy_loss", "reward/total", "train/entropy_loss", "rollout/ep_rew_mean", "episode_return"]
    found = translate_keys(load_dialect("sb3"), keys, Config())
    assert found["train/entropy_loss"].metric == "exploration.entropy"
    assert found["rollout/ep_rew_mean"].metric == "reward.episode_return"
    assert found["reward/total"].metric == "reward.mean"
    assert not found.keys() & {"entropy_loss", "episode_return"}


def test_the_earlier_row_of_a_table_is_taken():
    assert translate_keys(
        load_dialect("rllib"), ["learners/p/vf_loss", "learners/p/vf_loss_unclipped"], Config()
    ).keys() == {"learners/p/vf_loss_unclipped"}
    assert translate_keys(load_dialect("sb3"), ["monitor/return", "rollout/ep_rew_mean"], Config()).keys() == {
        "rollout/ep_rew_mean"
    }


def test_of_several_modules_the_first_by_name_is_read_throughout():
    keys = [f"learners/{module}/{name}" for name in ("entropy", "policy_loss") for module in ("p1", "p0", "p2")]
    assert translate_keys(load_dialect("rllib"), keys, Config()).keys() == {
        "learners/p0/entropy",
        "learners/p0/policy_loss",
    }


@pytest.mark.parametrize("algorithm", ["grpo", "rloo"])
def test_a_plain_kl_of_a_language_run_is_the_one_to_the_reference(algorithm):
    common = load_dialect("common")
    config = Config.of({"algorithm": algorithm})
    assert translate_keys(common, ["kl_div", "reward"], config)["kl_div"].metric == "policy.kl_reference"
    assert translate_keys(common, ["approx_kl", "reward"], config)["approx_kl"].metric == "policy.kl"
    assert translate_keys(common, ["kl_div", "reward"], Config())["kl_div"].metric == "policy.kl"


@pytest.mark.parametrize(
    ("metric", "keys"),
    [
        ("reward.mean", "reward mean_reward avg_reward reward_mean train/reward reward/avg metrics.reward Reward"),
        ("reward.episode_return", "episode_reward mean_episode_reward ep_ret score return avgReturn mean-ep-rew"),
        ("reward.max", "max_reward reward_max reward/max"),
        ("task.episode_length", "ep_len episode_length mean_ep_length episode/length avg_episode_len"),
        ("evaluation.return", "eval_reward test_reward eval/mean_reward validation/return mean_eval_reward val/ep_ret"),
        ("evaluation.score", "eval/accuracy test_acc validation/pass@1 val/score pass@1"),
        ("evaluation.success_rate", "eval/success_rate test/success"),
        ("task.success_rate", "success_rate success solve_rate train/accuracy correct"),
        ("policy.kl", "kl approx_kl kl_divergence policy/kl mean_kl approxKl"),
        ("policy.kl_reference", "kl_ref kl_to_ref ref_kl"),
        ("policy.clip_fraction", "clip_frac clipfrac clip_fraction"),
        ("policy.loss", "policy_loss losses/policy loss/pi actor_loss pg_loss"),
        ("value.loss", "value_loss losses/value loss/critic critic_loss vf_loss"),
        ("value.mean", "value_mean mean_value values/mean"),
        ("value.q_mean", "q_values mean_q q_value_mean"),
        ("value.q_loss", "td_loss q_loss losses/q"),
        ("value.explained_variance", "explained_var explained_variance value/explained_variance"),
        ("returns.advantage_abs_max", "advantage_abs_max max_abs_advantage"),
        ("exploration.entropy", "entropy policy_entropy mean_entropy entropy/mean losses/entropy"),
        ("exploration.epsilon", "epsilon exploration_rate"),
        ("exploration.temperature", "alpha temperature"),
        ("optimizer.gradient_norm", "grad_norm gradient_norm train/grad_norm"),
        ("optimizer.critic_gradient_norm", "critic_grad_norm critic/grad_norm"),
        ("optimizer.learning_rate", "lr learning_rate optim/lr optimizer/lr"),
        ("system.env_steps_per_second", "fps sps SPS steps_per_second charts/SPS"),
        ("task.completion_length", "completion_length mean_response_length response_length"),
        ("task.repetition", "repetition repetition_rate"),
        ("action.tool_calls", "tool_calls num_tool_calls"),
        ("task.cost", "cost ep_cost mean_cost"),
        ("evaluation.win_rate", "win_rate eval/win_rate"),
        ("reward.component.dist", "reward/dist rewards/dist train/reward/dist reward/dist/mean"),
        ("reward.component.heading_error", "reward/heading_error avg_r_heading_error"),
    ],
)
def test_what_most_people_mean(metric, keys):
    common = load_dialect("common")
    assert {key: getattr(common.alias(key), "metric", None) for key in keys.split()} == dict.fromkeys(
        keys.split(), metric
    )


AMBIGUOUS = """
value eps beta clip_ratio std mean loss/foo returns_mean reward_scale reward/std/foo rewards/step rewards/time
rewards/chosen reward/accuracy reward/dist/std best_reward foo bar/baz eval_loss test/kl ratio
relative_entropy gpu_memory wall_time time/total custom/foo reward_dist r_squared log_std
"""


@pytest.mark.parametrize("key", AMBIGUOUS.split())
def test_what_is_ambiguous_stays_unknown(key):
    assert load_dialect("common").alias(key) is None


@pytest.mark.parametrize(
    ("framework", "keys"),
    [
        ("sb3", "time/iterations time/episodes serial_timesteps"),
        ("rllib", "done pid training_iteration timesteps_since_restore config/lr ray/tune/hist_stats/episode_reward"),
        ("rllib", "learners/default_policy/num_trainable_parameters"),
        ("rsl_rl", "Train/mean_reward/time Train/mean_episode_length/time"),
        ("rl_games", "rewards/iter rewards/time episode_lengths/time info/epochs"),
        ("spinningup", "Epoch DeltaLossPi DeltaLossV"),
        ("tianshou", "update/smoothed_loss/loss update/update_step save/epoch"),
        ("trl", "epoch step train_runtime total_flos train/global_step"),
        ("ml_agents", "Environment/Cumulative_hist"),
        ("common", "step epoch _step _timestamp global_step episode timestamp progress/epoch"),
    ],
)
def test_what_is_no_metric_is_ignored(framework, keys):
    assert [key for key in keys.split() if not load_dialect(framework).ignores(key)] == []


@EVERY_LOG
def test_no_metric_is_ignored(log):
    framework, expected = LOGS[log]
    assert [key for key in expected if load_dialect(framework).ignores(key)] == []


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(max_size=30), max_size=20))
def test_any_text_can_be_a_key(keys):
    speaks, rest = readable(keys)
    found = translate_keys(speaks, rest, Config())
    assert all(in_vocabulary(alias.metric) for alias in found.values())
    assert len({alias.metric for alias in found.values()}) == len(found)


def test_every_framework_has_a_place_of_its_own_and_the_modules_that_its_record_names():
    ties = [known.tie for known in list_frameworks() if known.tie]
    assert ties == list(range(1, len(ties) + 1))
    for known in list_frameworks():
        folder = Path(framework_module.__file__).parent / known.name
        named = [module for _, _, module in known.environments] + [known.model]
        named += ["dialect"] * bool(known.tie) + ["trainer"] * bool(known.trainers) + ["watch"] * known.watches
        assert all((folder / f"{module}.py").is_file() for module in named if module), known.name
        assert find_framework(known.name) is known


def test_a_framework_that_is_not_installed_names_its_extra():
    absent = Framework(name="absent", title="Absent", packages=("no_such_package",), extra="absent")
    with pytest.raises(UsageError, match=r"absent:PPO needs no_such_package: pip install 'weaklink\[absent\]'\."):
        absent.require("absent:PPO")
