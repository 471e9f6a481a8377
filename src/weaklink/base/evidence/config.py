"""Hyper-parameters as evidence: what was found beside or inside a log, under canonical names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from weaklink.base.limits import flatten_bounded
from weaklink.base.patterns import compile_late

ON_POLICY = frozenset(
    "ppo a2c a3c trpo vpg reinforce recurrentppo maskableppo ppolstm ippo mappo impala appo pg".split()
)
OFF_POLICY = frozenset("dqn ddqn qrdqn c51 rainbow sac td3 ddpg tqc redq crossq droq her iqn r2d2 d4pg".split())
LANGUAGE = frozenset(
    "grpo rloo drgrpo dapo gspo reinforce++ reinforceplusplus rlhf rlvr dpo kto ppotrainer grpotrainer".split()
)

# canonical name -> the names that trainers give it
ALIASES: dict[str, tuple[str, ...]] = {
    "algorithm": ("algo", "algorithm", "algorithm_name", "algo_name", "trainer_type", "trainer", "exp_name", "algorithm.adv_estimator", "algorithm.class_name", "advantage_estimator", "algo.advantage.estimator", "agent", "method"),
    "environment": ("env", "env_id", "env_name", "environment", "task", "gym_id", "env.id"),
    "seed": ("seed", "random_seed"),
    "total_steps": ("total_timesteps", "n_timesteps", "total_steps", "total_frames", "max_steps", "num_timesteps", "timesteps", "max_iterations", "total_env_steps", "max_timesteps", "train_steps", "num_env_steps", "max_env_steps", "max_frames", "num_frames", "total_step"),
    "learning_rate": ("learning_rate", "lr", "policy_lr", "pi_lr", "actor_lr", "actor.optim.lr", "optim.lr", "actor_learning_rate", "lr_actor", "lr_pi", "lr_policy", "adam_lr", "step_size"),
    "critic_learning_rate": ("critic_lr", "vf_lr", "q_lr", "critic.optim.lr", "value_lr", "critic_learning_rate", "lr_critic", "lr_v", "lr_vf", "lr_q", "lr_value"),
    "learning_rate_schedule": ("lr_schedule", "lr_scheduler_type", "anneal_lr", "learning_rate_schedule", "schedule"),
    "batch_size": ("batch_size", "minibatch_size", "sgd_minibatch_size", "mini_batch_size", "ppo_mini_batch_size", "per_device_train_batch_size", "bs", "minibatch", "batch", "mb", "mb_size"),
    "minibatches": ("num_minibatches", "num_mini_batches", "mini_batches", "n_minibatches", "num_batches_per_epoch"),
    "rollout_steps": ("n_steps", "num_steps", "num_steps_per_env", "steps_per_epoch", "rollout_steps", "rollouts", "rollout_fragment_length", "horizon_length", "time_horizon", "step_per_collect", "rollout_len", "rollout_length", "rollout", "steps_per_rollout", "unroll_length"),
    "train_batch_size": ("train_batch_size", "frames_per_batch"),
    "environments": ("n_envs", "num_envs", "num_environments", "env.num_envs", "num_workers", "envs", "n_env", "num_env"),
    "epochs": ("n_epochs", "update_epochs", "num_epochs", "num_learning_epochs", "num_sgd_iter", "ppo_epochs", "train_pi_iters", "learning_epochs", "num_epoch", "mini_epochs", "repeat_per_collect", "k_epochs", "opt_epochs", "epochs_per_update", "update_epoch"),
    "gamma": ("gamma", "discount", "discount_factor", "discount_rate"),
    "gae_lambda": ("gae_lambda", "lam", "lambda", "lambda_", "lambd", "gae_lam", "gae"),
    "clip_range": ("clip_range", "clip_coef", "clip_param", "clip_ratio", "clip_eps", "cliprange", "epsilon", "clip_epsilon", "ratio_clip", "eps_clip", "e_clip", "clip"),
    "value_clip_range": ("clip_range_vf", "vf_clip_param", "cliprange_value", "value_clip", "clip_vloss"),
    "entropy_coefficient": ("ent_coef", "entropy_coeff", "entropy_coef", "entropy_loss_scale", "entropy_cost", "entropy_bonus", "entropy_eps", "ent", "entropy_weight", "ent_weight", "ent_coeff", "entropy_beta", "ent_bonus"),
    "value_coefficient": ("vf_coef", "vf_loss_coeff", "value_loss_coef", "value_loss_scale", "critic_coef", "vf", "value_coef", "value_weight", "critic_weight", "value_loss_weight", "v_coef", "vf_weight"),
    "target_kl": ("target_kl", "kl_target", "desired_kl", "kl_threshold"),
    "kl_coefficient": ("beta", "kl_coef", "init_kl_coef", "kl_coeff", "kl_loss_coef", "algorithm.kl_ctrl.kl_coef", "kl.init_coef", "algo.kl.init_coef"),
    "max_gradient_norm": ("max_grad_norm", "grad_clip", "grad_norm_clip", "gradient_clip_val", "clip_grad_norm", "gradient_clipping", "clip_grad", "grad_clip_norm", "max_norm", "gradient_clip"),
    "normalize_advantage": ("normalize_advantage", "norm_adv", "normalize_advantages", "standardize_advantages"),
    "buffer_size": ("buffer_size", "replay_size", "memory_size", "replay_buffer_size", "capacity", "buffer", "buffer_capacity", "replay_capacity", "memory", "mem_size", "replay", "buffer_cap", "buffer_len"),
    "learning_starts": ("learning_starts", "start_steps", "warmup_steps_replay", "num_steps_sampled_before_learning_starts", "random_steps", "random_timesteps", "buffer_init_steps", "starts", "learn_start", "train_start", "warmup", "warmup_steps", "learning_start", "min_buffer", "min_buffer_size", "min_replay_size", "learn_after", "initial_random_steps"),
    "train_frequency": ("train_freq", "train_frequency", "update_every", "policy_frequency", "update_freq", "learn_every", "train_every", "update_frequency"),
    "gradient_steps": ("gradient_steps", "updates_per_step", "utd_ratio"),
    "target_update_interval": ("target_update_interval", "target_network_frequency", "target_network_update_freq", "sync", "target_sync", "target_update", "target_update_freq", "target_update_every", "target_every", "target_freq", "sync_every", "target_sync_every", "update_target_every", "target_period"),
    "tau": ("tau", "polyak", "soft_target_tau"),
    "exploration_fraction": ("exploration_fraction",),
    "exploration_initial_epsilon": ("exploration_initial_eps", "start_e", "eps_start", "epsilon_start", "initial_epsilon", "epsilon_init", "eps_init", "max_epsilon", "eps_max"),
    "action_noise": ("action_noise", "exploration_noise", "expl_noise", "act_noise", "noise_std", "action_noise_std", "noise_sigma"),
    "log_std_init": ("log_std_init", "init_log_std", "initial_log_std", "log_std"),
    "target_entropy": ("target_entropy",),
    "weight_decay": ("weight_decay", "l2", "l2_reg"),
    "exploration_final_epsilon": ("exploration_final_eps", "end_e", "final_epsilon", "eps_end", "epsilon_end", "epsilon_min", "eps_min", "eps_final", "min_epsilon"),
    "group_size": ("num_generations", "group_size", "n_samples_per_prompt", "rollout.n", "actor_rollout_ref.rollout.n"),
    "inner_iterations": ("num_iterations", "mu"),
    "max_completion_length": ("max_completion_length", "max_response_length", "max_new_tokens", "generate_max_len", "max_tokens"),
    "temperature": ("temperature", "rollout.temperature"),
    "policy": ("policy", "policy_type", "policy_class", "policy_name"),
    "network": ("net_arch", "hidden_sizes", "fcnet_hiddens", "hidden_dims", "policy_kwargs.net_arch", "model.fcnet_hiddens"),
    "activation": ("activation_fn", "activation", "fcnet_activation", "policy_kwargs.activation_fn", "model.fcnet_activation"),
    "normalize": ("normalize", "norm_obs", "normalize_observations", "empirical_normalization"),
    "normalize_reward": ("norm_reward", "normalize_rewards", "reward_normalization", "normalize_reward"),
    "clip_reward": ("clip_reward", "clip_rewards", "reward_clip"),
    "actions": ("n_actions", "num_actions", "action_space_n"),
    "action_dimensions": ("action_dim", "act_dim", "action_dimension"),
    "observation_size": ("obs_dim", "observation_dim", "state_dim", "obs_size"),
    "sequence_length": ("sequence_length", "max_seq_len", "seq_len"),
    "evaluation_training_mode": ("eval_env_training",),
}  # fmt: skip

_CANONICAL = {alias: name for name, aliases in ALIASES.items() for alias in aliases}


@dataclass(frozen=True)
class Config:
    """Hyper-parameters by canonical name (`values`) and as they were found (`raw`).

    `family` is the family of algorithm that the metrics of a run tell, for where the algorithm has no known name.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    raw: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    family: str = ""

    @classmethod
    def of(cls, raw: Mapping[str, Any], source: str = "") -> Config:
        """Takes hyper-parameters as found and files those it knows under their canonical names."""
        flat = dict(flatten_bounded(raw))
        values: dict[str, Any] = {}
        for key, value in flat.items():
            name = find_canonical_name(key)
            if name is not None and value is not None:
                values.setdefault(name, parse_value(value))
        return cls(values, flat, source)

    def __bool__(self) -> bool:
        return bool(self.raw) or bool(self.values)

    def __contains__(self, name: object) -> bool:
        return name in self.values

    def number(self, name: str) -> float | None:
        """The hyper-parameter as a number, or None where it is missing or is no number."""
        value = self.values.get(name)
        if isinstance(value, bool) or value is None:
            return None
        try:
            return float(value) if isinstance(value, int | float) else None
        except OverflowError:
            return None

    def flag(self, name: str) -> bool | None:
        """The hyper-parameter as a yes or no, or None where it is missing."""
        value = self.values.get(name)
        if isinstance(value, str):
            return value.strip().lower() not in ("", "false", "no", "none", "0")
        return None if value is None else bool(value)

    @property
    def algorithm(self) -> str:
        """The algorithm in lower case without punctuation, such as `ppo`, or empty."""
        return normalise_name(str(self.values.get("algorithm", "")))


def find_canonical_name(key: str) -> str | None:
    """The canonical name of a hyper-parameter, by its whole key or by its last part; `learningRate` is one too."""
    spoken, key = key.strip(), key.strip().lower()
    if key in ALIASES:
        return key
    if key in _CANONICAL:
        return _CANONICAL[key]
    tail = re.split(r"[./]", spoken)[-1]
    return _CANONICAL.get(tail.lower()) or _CANONICAL.get(_HUMP.sub("_", tail).lower())


_HUMP = compile_late(r"(?<=[a-z0-9])(?=[A-Z][a-z])")

# no two neighbours take the same character, so that a long row of digits is read in one way only
_NUMBER = compile_late(r"[-+]?(\d+(_\d+)*(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
_SCHEDULE = compile_late(r"lin_([-+.\deE]+)")


def parse_value(value: object) -> Any:
    """A value with numbers and booleans that were written as text made numbers and booleans again."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _NUMBER.fullmatch(text):
        number = float(text.replace("_", ""))
        return int(number) if number.is_integer() and "." not in text and "e" not in text.lower() else number
    schedule = _SCHEDULE.fullmatch(text)
    if schedule is not None and _NUMBER.fullmatch(schedule.group(1)):
        return float(schedule.group(1))  # the zoo's lin_0.1: a linear schedule that starts there
    return value


def normalise_name(word: str) -> str:
    """A name in lower case without punctuation, so that `Recurrent-PPO` and `RecurrentPPO` are one."""
    return re.sub(r"[^a-z0-9+]", "", word.lower())


def infer_family(config: Config, metrics: Iterable[str]) -> str:
    """The family of algorithm: from its name, else from the metrics that only one family logs."""
    algorithm = config.algorithm
    known = set(metrics)
    if algorithm in LANGUAGE or known & {
        "task.completion_length",
        "reward.zero_spread_fraction",
        "task.truncated_fraction",
    }:
        return "language"
    for family, names in (("on-policy", ON_POLICY), ("off-policy", OFF_POLICY)):
        if algorithm in names:
            return family
    if known & {"policy.clip_fraction", "policy.kl", "value.explained_variance"}:
        return "on-policy"
    if known & {"value.q_mean", "exploration.temperature", "exploration.epsilon", "value.q_loss"}:
        return "off-policy"
    words = re.split(r"[^a-z0-9]+", str(config.values.get("algorithm", "")).lower())
    for family, names in (("language", LANGUAGE), ("on-policy", ON_POLICY), ("off-policy", OFF_POLICY)):
        if names & set(words):
            return family
    return config.family
