"""The vocabulary: every metric that rules can read, with its unit, its meaning and its healthy range.

Names are `link.quantity`. Readers and adapters translate native names into these; a key that none of them knows is
kept under its own name and reported.
"""

from __future__ import annotations

import msgspec


class Metric(msgspec.Struct, frozen=True):
    """One quantity of the vocabulary. `how` is the one line that would log it, where it can be said in one."""

    name: str
    unit: str
    meaning: str
    healthy: str = ""
    how: str = ""


def _make_table(*rows: tuple[str, ...]) -> dict[str, Metric]:
    return {row[0]: Metric(*row) for row in rows}


METRICS: dict[str, Metric] = _make_table(
    # name, unit, meaning, healthy range, how to log it
    ("reward.episode_return", "reward", "sum of rewards of a training episode", "rises", "wrap the environment in Monitor / RecordEpisodeStatistics"),
    ("reward.episode_return_std", "reward", "spread of the training return over episodes"),
    ("reward.episode_return_min", "reward", "worst training return of an interval"),
    ("reward.episode_return_max", "reward", "best training return of an interval"),
    ("reward.mean", "reward", "mean reward of a step, a batch or a completion", "rises", "log rewards.mean()"),
    ("reward.std", "reward", "spread of rewards in a batch", "above 0", "log rewards.std()"),
    ("reward.min", "reward", "smallest reward of a batch"),
    ("reward.max", "reward", "largest reward of a batch"),
    ("reward.q05", "reward", "5 % quantile of the rewards of a batch"),
    ("reward.median", "reward", "median of the rewards of a batch"),
    ("reward.q95", "reward", "95 % quantile of the rewards of a batch"),
    ("reward.nonzero_fraction", "share", "steps whose absolute reward is over 0.001", "above 0.05", "log (abs(rewards) > 1e-3).mean()"),
    ("reward.group_std", "reward", "spread of rewards within a group of completions of one prompt", "above 0"),
    ("reward.of_rank", "reward", "mean reward of what one rank of several sampled", "as on other ranks"),
    ("reward.zero_spread_fraction", "share", "groups whose completions all got the same reward", "below 0.5"),
    ("reward.kl_penalty", "reward", "reward taken away for distance to the reference"),
    ("reward.human_score", "score", "human or gold judgement of the same samples", "rises with the reward"),
    ("reward.chosen", "reward", "implicit reward of the chosen answer of a pair", "moves away from 0"),
    ("reward.rejected", "reward", "implicit reward of the rejected answer of a pair", "falls"),
    ("reward.margin", "reward", "implicit reward of the chosen answer minus that of the rejected one", "rises"),
    ("reward.pair_accuracy", "share", "pairs whose chosen answer has the higher implicit reward", "rises above 0.5"),
    ("task.episodes", "episodes", "training episodes that ended since the row before"),
    ("task.episode_length", "steps", "length of a training episode", "", "wrap the environment in Monitor / RecordEpisodeStatistics"),
    ("task.episode_length_std", "steps", "spread of the episode length"),
    ("task.episode_length_min", "steps", "shortest episode of an interval"),
    ("task.episode_length_max", "steps", "longest episode of an interval"),
    ("task.episode_length_q05", "steps", "5 % quantile of the episode length"),
    ("task.episode_length_median", "steps", "median of the episode length"),
    ("task.episode_length_q95", "steps", "95 % quantile of the episode length"),
    ("task.terminations", "episodes", "episodes that the task ended since the row before"),
    ("task.truncations", "episodes", "episodes that the time limit cut off since the row before"),
    ("task.success_rate", "share", "training episodes that reached the goal", "rises", "put is_success into info at the end of an episode"),
    ("task.completion_length", "tokens", "length of a completion", "steady"),
    ("task.completion_length_max", "tokens", "longest completion of a batch"),
    ("task.terminated_length", "tokens", "length of the completions that ended by themselves"),
    ("task.truncated_fraction", "share", "completions cut by the length cap", "below 0.2"),
    ("task.repetition", "share", "repeated n-grams in completions", "below 0.2"),
    ("task.refusal_rate", "share", "completions that refuse", "steady"),
    ("task.unsafe_rate", "share", "unsafe completions on unsafe prompts", "falls"),
    ("task.distinct_fraction", "share", "distinct answers within a group", "above 0.2"),
    ("task.difficulty", "level", "difficulty of the prompts or tasks drawn, where a curriculum sets it"),
    ("task.cost", "cost", "cost of an episode or trajectory", "steady or falling"),
    ("task.turns", "turns", "turns or steps of an agent trajectory"),
    ("action.tool_calls", "calls", "tool calls per trajectory", "steady"),
    ("action.tool_failures", "share", "tool calls that failed", "below 0.2"),
    ("evaluation.return", "reward", "return of an evaluation", "rises", "evaluate every 5 % of the budget, in an environment of its own"),
    ("evaluation.return_std", "reward", "spread of the evaluation return over episodes"),
    ("evaluation.final_return", "reward", "return of each episode of an evaluation after the training"),
    ("evaluation.length", "steps", "episode length in evaluation"),
    ("evaluation.success_rate", "share", "evaluation episodes that reached the goal", "rises"),
    ("evaluation.win_rate", "share", "games won", "between 0.05 and 0.95"),
    ("evaluation.rating", "rating", "Elo or another rating against opponents", "rises"),
    ("evaluation.score", "score", "held-out task metric, such as accuracy or pass@1", "rises", "log the true task metric beside the reward"),
    ("evaluation.observation_mean", "observation", "mean of the observations that the policy is given in evaluation", "as in training"),
    ("evaluation.observation_std", "observation", "spread of the observations that the policy is given in evaluation", "as in training"),
    ("observation.mean", "observation", "mean of the observations that the policy is given", "-5 to 5", "log obs.mean()"),
    ("observation.std", "observation", "spread of the observations that the policy is given", "0.1 to 5", "log obs.std()"),
    ("observation.min", "observation", "smallest entry of the observations"),
    ("observation.max", "observation", "largest entry of the observations"),
    ("observation.non_finite", "entries", "entries of observations that are NaN or infinite", "none"),
    ("observation.clipped_fraction", "share", "entries of observations at the ends of the range they are clipped to", "below 0.01"),
    ("action.saturated_fraction", "share", "actions at the ends of their range, or clipped to them", "below 0.5", "log (abs(actions) >= high).mean()"),
    ("action.invalid_fraction", "share or count", "actions that the environment does not allow", "falls to 0"),
    ("action.size", "action", "mean absolute action that the policy chose", "", "log abs(actions).mean()"),
    ("action.min", "action", "smallest action that the environment was given"),
    ("action.max", "action", "largest action that the environment was given"),
    ("action.executed_size", "action", "mean absolute action that the environment was given", "that of the chosen ones"),
    ("action.executed_share", "share", "actions that were executed as they were chosen", "near 1"),
    ("data.sample_age", "steps", "environment steps since a sampled transition was collected", "at most half of the steps so far"),
    ("data.staleness", "updates", "learner steps between collecting a sample and learning from it", "steady"),
    ("data.staleness_max", "updates", "age of the oldest sample of a batch", "steady"),
    ("data.sampler_gap", "nats", "difference of log-probabilities between sampling engine and trainer", "at the stack's noise floor"),
    ("data.importance_ratio_max", "ratio", "largest importance ratio between trainer and sampler", "near 1"),
    ("data.buffer_size", "transitions", "transitions in the replay buffer"),
    ("data.terminal_fraction", "share", "sampled transitions that count as the end of an episode"),
    ("returns.target_mean", "reward", "mean value target", "-10 to 10", "log returns.mean()"),
    ("returns.target_std", "reward", "spread of value targets", "above 0.01", "log returns.std()"),
    ("returns.target_min", "reward", "smallest value target", "-10 to 10"),
    ("returns.target_max", "reward", "largest value target", "-10 to 10"),
    ("returns.target_q05", "reward", "5 % quantile of the value targets"),
    ("returns.target_median", "reward", "median of the value targets"),
    ("returns.target_q95", "reward", "95 % quantile of the value targets"),
    ("returns.gamma", "rate", "discount that the value targets show"),
    ("returns.advantage_mean", "reward", "mean advantage", "near 0", "log advantages.mean()"),
    ("returns.advantage_std", "reward", "spread of advantages", "near 1 when normalised"),
    ("returns.advantage_min", "reward", "smallest advantage"),
    ("returns.advantage_max", "reward", "largest advantage"),
    ("returns.advantage_q05", "reward", "5 % quantile of the advantages"),
    ("returns.advantage_median", "reward", "median of the advantages"),
    ("returns.advantage_q95", "reward", "95 % quantile of the advantages"),
    ("returns.advantage_abs_max", "reward", "largest absolute advantage", "below 20", "log abs(advantages).max()"),
    ("value.explained_variance", "share", "1 - var(target - value) / var(target)", "rises towards 0.5-1", "log 1 - (returns - values).var() / returns.var()"),
    ("value.residual_variance", "share", "var(target - value) / var(target)", "falls from 1 towards 0"),
    ("value.loss", "loss", "loss of the critic or value head", "falls, then levels out"),
    ("value.mean", "reward", "mean value or value prediction", "near the value targets"),
    ("value.std", "reward", "spread of values"),
    ("value.min", "reward", "smallest value"),
    ("value.max", "reward", "largest value"),
    ("value.q05", "reward", "5 % quantile of the values"),
    ("value.median", "reward", "median of the values"),
    ("value.q95", "reward", "95 % quantile of the values"),
    ("value.q_mean", "reward", "mean Q value", "within what the rewards allow", "log q_values.mean()"),
    ("value.q2_mean", "reward", "mean Q value of the second critic", "near the first critic's"),
    ("value.q_max", "reward", "largest Q value", "within what the rewards allow"),
    ("value.q_min", "reward", "smallest Q value", "within what the rewards allow"),
    ("value.q_twin_spread", "reward", "distance between twin critics", "below 100", "log (q1 - q2).abs().mean()"),
    ("value.td_error", "reward", "size of the errors that values are corrected by", "falls, then levels out"),
    ("value.q_loss", "loss", "loss of the Q functions", "falls, then levels out"),
    ("value.target_distance", "norm", "distance between online and target network", "small and above 0"),
    ("value.terminal_correlation", "correlation", "value of the last state with the reward of the last step", "rises towards 1"),
    ("value.penultimate_correlation", "correlation", "value of the last state but one with the last reward", "rises towards 1"),
    ("value.step_correlation", "correlation", "fall of the value over a step with the reward of that step", "rises towards 1"),
    ("value.clip_fraction", "share", "value updates that were clipped"),
    ("policy.kl", "nats", "KL from the policy that collected to the policy after the update", "small and positive", "log ((ratio - 1) - log_ratio).mean()"),
    ("policy.kl_reference", "nats", "KL to the reference model", "0 to 10, steady"),
    ("policy.kl_coefficient", "weight", "weight of the KL penalty"),
    ("policy.clip_fraction", "share", "samples whose ratio was clipped", "0.01 to 0.3", "log (abs(ratio - 1) > clip_range).mean()"),
    ("policy.clip_range", "ratio", "clip range in force"),
    ("policy.ratio_mean", "ratio", "mean probability ratio", "near 1"),
    ("policy.ratio_max", "ratio", "largest probability ratio"),
    ("policy.ratio_min", "ratio", "smallest probability ratio"),
    ("policy.ratio_std", "ratio", "spread of the probability ratios"),
    ("policy.first_ratio_deviation", "ratio", "largest distance of a ratio from 1 before the first step of an update", "about 0"),
    ("policy.first_kl", "nats", "KL to the policy that collected before the first step of an update", "about 0"),
    ("policy.optimal_share", "share", "actions that are the best ones, where the task knows them", "rises towards 1"),
    ("policy.log_prob_chosen", "nats", "log-probability of the chosen answers of pairs"),
    ("policy.log_prob_rejected", "nats", "log-probability of the rejected answers of pairs"),
    ("policy.loss", "loss", "policy loss"),
    ("policy.log_prob_min", "nats", "smallest log-probability of a taken action"),
    ("policy.effective_sample_share", "share", "effective sample size of the importance weights"),
    ("exploration.entropy", "nats", "entropy of the policy (differential for continuous actions)", "starts high, falls slowly", "log dist.entropy().mean()"),
    ("exploration.relative_entropy", "share", "entropy over its maximum", "starts near 1, falls slowly"),
    ("exploration.action_std", "action", "standard deviation of the action distribution", "falls slowly"),
    ("exploration.action_std_min", "action", "smallest standard deviation over action dimensions", "above 0.01"),
    ("exploration.epsilon", "share", "share of random actions", "falls to a few percent"),
    ("exploration.temperature", "weight", "entropy temperature (alpha)", "settles"),
    ("exploration.temperature_loss", "loss", "loss of the entropy temperature"),
    ("exploration.entropy_coefficient", "weight", "weight of the entropy bonus"),
    ("exploration.coverage", "share", "states, or pairs of state and action, that were ever visited", "rises"),
    ("optimizer.gradient_norm", "norm", "norm of the gradient before clipping", "0.01 to 10", "log the value that clip_grad_norm_ returns"),
    ("optimizer.critic_gradient_norm", "norm", "norm of the critic's gradient before clipping", "0.01 to 10"),
    ("optimizer.gradient_abs_max", "norm", "largest absolute entry of the gradient"),
    ("optimizer.gradient_mean_square", "norm", "mean square entry of the gradient"),
    ("optimizer.clipped_fraction", "share", "gradients whose norm was clipped"),
    ("optimizer.critic_clipped_fraction", "share", "gradients of the critic whose norm was clipped"),
    ("optimizer.non_finite_gradients", "steps", "optimizer steps on a gradient that was not finite", "none"),
    ("optimizer.critic_non_finite_gradients", "steps", "optimizer steps of the critic on a gradient that was not finite", "none"),
    ("optimizer.empty_steps", "steps", "optimizer steps without any gradient", "none"),
    ("optimizer.learning_rate", "rate", "learning rate in force"),
    ("optimizer.critic_learning_rate", "rate", "learning rate of the critic in force"),
    ("optimizer.loss", "loss", "total loss"),
    ("optimizer.updates", "updates", "gradient updates so far"),
    ("optimizer.step_abs_max", "norm", "largest change of a parameter in an update"),
    ("optimizer.step_mean_square", "norm", "mean square change of the parameters in an update"),
    ("optimizer.parameter_change", "share", "norm of the parameter step over the norm of the parameters", "1e-5 to 1e-2"),
    ("optimizer.parameter_norm", "norm", "norm of all parameters", "grows slowly"),
    ("optimizer.gradient_noise_scale", "samples", "batch size at which noise and signal of the gradient are equal"),
    ("optimizer.loss_scale", "factor", "loss scale of mixed precision", "steady"),
    ("optimizer.skipped_steps", "steps", "optimizer steps skipped for non-finite gradients", "rare"),
    ("optimizer.dead_units", "share", "units that never fire", "below 0.5"),
    ("system.env_steps_per_second", "1/s", "environment steps per second", "steady"),
    ("system.learner_steps_per_second", "1/s", "gradient updates or samples learnt per second", "steady"),
    ("system.actor_samples_per_second", "1/s", "samples collected per second of collecting", "steady"),
    ("system.learner_samples_per_second", "1/s", "samples learnt from per second of learning", "steady"),
    ("system.balance", "ratio", "samples learnt from over samples collected, both per second", "steady"),
    ("system.tokens_per_second", "1/s", "tokens learnt from per second", "steady"),
    ("system.step_time", "s", "time of a training step", "steady"),
    ("system.collect_time", "s", "time spent collecting"),
    ("system.learn_time", "s", "time spent learning"),
    ("system.elapsed", "s", "time since the start"),
    ("system.env_steps", "steps", "environment steps so far"),
    ("system.tokens", "tokens", "tokens seen so far"),
    ("system.memory", "megabytes or gigabytes", "memory of the training process", "steady"),
    ("system.accelerator_utilisation", "share", "busy share of the accelerator", "above 0.5"),
    ("system.accelerator_memory", "share", "memory in use over memory there", "below 0.95"),
    ("system.memory_allocated", "bytes", "memory used by tensors"),
    ("system.memory_reserved", "bytes", "memory set aside by the framework"),
    ("system.memory_gross", "bytes", "memory in use on the accelerator by everybody"),
    ("system.accelerator_temperature", "degrees", "temperature of the accelerator", "below 85"),
    ("system.unmeasured_updates", "updates", "updates before this row that a monitor had no time to measure"),
    ("system.watching_share", "share", "share of the time that weaklink itself used", "below 0.01"),
)  # fmt: skip

COMPONENT = "reward.component."
"""Prefix of the components that a reward is made of: `reward.component.<name>`."""

ACTION_STD = "exploration.action_std."
"""Prefix of the standard deviation of each action dimension: `exploration.action_std.<number>`."""

OBSERVATION_STD = "observation.std."
"""Prefix of the spread of each column of the observations: `observation.std.<number>`."""

OBSERVATION_MEAN = "observation.mean."
"""Prefix of the mean of each column of the observations: `observation.mean.<number>`."""

ACTION_SHARE = "action.share."
"""Prefix of the share of each discrete action: `action.share.<number>`."""

MEMBER_RETURN = "reward.of_member."
"""Prefix of the return of each of several environments that are played side by side: `reward.of_member.<number>`."""

COLUMNS = (COMPONENT, ACTION_STD, OBSERVATION_STD, OBSERVATION_MEAN, ACTION_SHARE, MEMBER_RETURN)
"""The prefixes of metrics of which there is one for each column, component, choice or member."""
