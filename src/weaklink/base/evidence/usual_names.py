"""The names that most people give to a metric."""

from __future__ import annotations

USUAL_NAMES = {
    "reward.episode_return": "episode_return episodic_return ep_return ep_ret ep_rew episode_reward "
    "episodic_reward ep_reward episode_rewards reward_per_episode return return_per_episode "
    "cumulative_reward total_reward episode_total_reward episode_score undiscounted_return score "
    "running_reward running_return rollout_return rollout_ep_rew ret avg100 avg_100 ma100 last100 "
    "return_100 reward_100 ret100 score_100 fitness",
    "reward.episode_return_std": "episode_return_std episode_reward_std ep_rew_std ep_reward_std ep_ret_std return_std "
    "fitness_std",
    "reward.episode_return_min": "episode_return_min episode_reward_min ep_rew_min ep_reward_min ep_ret_min return_min "
    "fitness_min",
    "reward.episode_return_max": "episode_return_max episode_reward_max ep_rew_max ep_reward_max ep_ret_max return_max "
    "fitness_max",
    "reward.mean": "reward rewards rm_score reward_total r_total reward_batch batch_reward step_reward "
    "reward_per_step rew",
    "reward.std": "reward_std rewards_std batch_reward_std reward_batch_std",
    "reward.min": "reward_min rewards_min",
    "reward.max": "reward_max rewards_max",
    "reward.nonzero_fraction": "reward_nonzero_fraction nonzero_reward_fraction",
    "reward.group_std": "group_reward_std reward_group_std reward_std_within_group",
    "reward.zero_spread_fraction": "frac_reward_zero_std reward_zero_std_fraction zero_std_fraction "
    "degenerate_group_fraction",
    "reward.human_score": "human_score judge_score gold_score gold_reward reward_gold true_reward",
    "task.episode_length": "episode_length episodic_length ep_length ep_len episode_len episode_lengths "
    "steps_per_episode length_episode rollout_ep_len length len rollout_len rollout_length steps_mean episode_steps "
    "ep_steps lengths",
    "task.episode_length_std": "episode_length_std ep_len_std episode_len_std ep_length_std",
    "task.episode_length_min": "episode_length_min ep_len_min episode_len_min ep_length_min",
    "task.episode_length_max": "episode_length_max ep_len_max episode_len_max ep_length_max",
    "task.success_rate": "success_rate success succ is_success solve_rate solved_rate goal_rate "
    "goal_reached reached_goal goals_reached accuracy acc correct correctness correct_rate "
    "fraction_correct frac_correct episode_success episode_success_rate exact_match exact_match_rate pass_rate",
    "task.completion_length": "completion_length completions_length response_length responses_length "
    "response_len completion_len gen_len gen_length generation_length",
    "task.completion_length_max": "completion_length_max completions_length_max response_length_max",
    "task.truncated_fraction": "truncated_fraction truncation_rate truncated_rate truncated_ratio "
    "frac_truncated completions_clipped_ratio completion_clipped_ratio response_clip_ratio "
    "response_length_clip_ratio overlong_ratio",
    "task.repetition": "repetition repetition_rate repetition_ratio repeat_ratio repeat_rate repetition_fraction",
    "task.refusal_rate": "refusal_rate refusal refusal_ratio refusal_fraction",
    "task.unsafe_rate": "unsafe_rate unsafe_ratio unsafe_fraction harmful_rate harmfulness_rate",
    "task.distinct_fraction": "distinct_fraction distinct_answers_fraction unique_answers_fraction "
    "unique_answer_fraction",
    "task.difficulty": "difficulty curriculum_difficulty task_difficulty difficulty_level curriculum_level",
    "task.terminations": "terminations env_terminations terminated_episodes n_terminated num_terminated",
    "task.truncations": "truncations env_truncations truncated_episodes n_truncated num_truncated",
    "task.cost": "cost episode_cost ep_cost cumulative_cost cost_per_episode",
    "task.turns": "turns num_turns n_turns turns_per_episode",
    "observation.clipped_fraction": "obs_clipped clipped_obs observations_clipped obs_clip_fraction obs_clip_frac",
    "action.size": "action_abs action_policy_abs policy_action_abs chosen_action_abs action_chosen_abs",
    "action.executed_size": "applied_action_abs action_applied_abs executed_action_abs action_executed_abs "
    "env_action_abs action_env_abs env_act_abs",
    "action.executed_share": "action_agreement action_match action_match_rate action_agreement_rate executed_as_chosen",
    "action.min": "action_min actions_min",
    "action.max": "action_max actions_max",
    "action.tool_calls": "tool_calls num_tool_calls n_tool_calls tool_call_count tool_calls_per_episode "
    "tools_call_frequency",
    "action.tool_failures": "tool_failures tool_failure_rate tool_error_rate tools_failure_frequency",
    "evaluation.win_rate": "win_rate winrate wins_fraction",
    "evaluation.score": "pass@1 pass_1 pass@k benchmark_score heldout_score held_out_score d4rl_normalized_score",
    "evaluation.rating": "elo elo_rating trueskill",
    "data.staleness": "staleness sample_staleness policy_lag policy_staleness",
    "data.importance_ratio_max": "importance_ratio_max importance_sampling_ratio_max importance_weight_max",
    "data.buffer_size": "buffer_size buf_size replay_buffer_size replay_size buffer_len "
    "buffer replay buffer_fill mem_size memory_size buf",
    "data.terminal_fraction": "batch_done_frac batch_done_fraction batch_terminal_frac batch_terminal_fraction "
    "batch_dones batch_terminals done_fraction_batch sampled_terminal_fraction",
    "returns.target_mean": "target_mean value_target value_targets td_target td_targets target_value target_q q_target "
    "return_target return_targets bootstrap_target bootstrap_targets",
    "returns.target_std": "value_target_std value_targets_std td_target_std "
    "return_target_std return_targets_std returns_target_std",
    "returns.target_min": "value_target_min value_targets_min td_target_min",
    "returns.target_max": "value_target_max value_targets_max td_target_max",
    "returns.advantage_mean": "advantage advantages adv",
    "returns.advantage_std": "advantage_std advantages_std adv_std",
    "returns.advantage_min": "advantage_min advantages_min adv_min",
    "returns.advantage_max": "advantage_max advantages_max adv_max",
    "returns.advantage_abs_max": "advantage_abs_max advantages_abs_max adv_abs_max abs_advantage_max",
    "value.explained_variance": "explained_variance explained_var vf_explained_var value_explained_variance "
    "var_explained expl_var exp_var ev",
    "value.residual_variance": "residual_variance",
    "value.loss": "value_loss vf_loss v_loss loss_value loss_vf loss_v critic_loss loss_critic "
    "value_function_loss loss_value_function baseline_loss loss_loss_reward_critic",
    "value.mean": "value_mean values_mean v_mean value_estimate value_estimates value_pred value_preds "
    "vpred predicted_value values v",
    "value.std": "value_std values_std v_std",
    "value.min": "value_min values_min v_min",
    "value.max": "value_max values_max v_max",
    "value.q_mean": "q q_value q_values q1 q1_value q1_values qf1_values q_val q_vals",
    "value.q2_mean": "q2 q2_value q2_values qf2_values",
    "value.q_max": "q_max q_value_max q_values_max q1_max maxq qmax",
    "value.q_min": "q_min q_value_min q_values_min q1_min",
    "value.q_twin_spread": "q_value_spread q_spread q_twin_spread twin_q_spread",
    "value.q_loss": "q_loss qf_loss td_loss loss_q loss_qf loss_td q1_loss qf1_loss loss_q1 bellman_loss "
    "q_function_loss qloss",
    "policy.kl": "kl kl_div kl_divergence approx_kl approxkl kl_approx approximate_kl policy_kl old_new_kl kl_old_new",
    "policy.kl_reference": "kl_sft kl_to_sft kl_ref ref_kl kl_reference kl_to_ref kl_to_reference kl_from_ref "
    "kl_with_ref reference_kl kl_policy_ref",
    "policy.kl_coefficient": "kl_coef kl_coeff kl_coefficient kl_beta",
    "policy.clip_fraction": "clip_fraction clip_frac clipfrac clipfraction clipped_fraction frac_clipped "
    "fraction_clipped pg_clipfrac policy_clipfrac policy_clip_fraction policy_clip_frac "
    "ratio_clipped_fraction",
    "policy.clip_range": "clip_range clip_eps clip_epsilon clip_coef clip_param",
    "policy.ratio_mean": "ratio_mean ratios_mean importance_ratio_mean loss_ratio importance_ratio",
    "policy.ratio_max": "ratio_max ratios_max",
    "policy.first_ratio_deviation": "ratio_maxdev_first_minibatch ratio_max_dev_first_minibatch ratio_dev_first "
    "first_batch_ratio_maxdev first_minibatch_ratio_maxdev actor_ratio_dev_first first_ratio_dev "
    "first_ratio_deviation ratio_deviation_first_minibatch first_minibatch_ratio_deviation",
    "policy.first_kl": "kl_first_minibatch first_batch_kl first_minibatch_kl approx_kl_first_minibatch",
    "policy.optimal_share": "optimal_action_rate optimal_action_fraction optimal_action_share optimal_actions "
    "optimal_arm_rate optimal_arm_fraction best_arm_rate best_action_rate frac_optimal fraction_optimal "
    "percent_optimal pct_optimal",
    "reward.chosen": "chosen_reward chosen_rewards implicit_reward_chosen",
    "reward.rejected": "rejected_reward rejected_rewards implicit_reward_rejected",
    "reward.margin": "reward_margin reward_margins",
    "reward.pair_accuracy": "preference_accuracy pair_accuracy pairs_accuracy",
    "value.target_distance": "target_net_distance target_network_distance",
    "policy.loss": "policy_loss actor_loss pg_loss pi_loss loss_policy loss_actor loss_pi loss_pg "
    "policy_gradient_loss surrogate_loss loss_surrogate loss_clip clip_loss loss_loss_pi",
    "policy.effective_sample_share": "ess_fraction effective_sample_share effective_sample_size_fraction",
    "exploration.entropy": "entropy policy_entropy actor_entropy action_entropy token_entropy "
    "entropy_policy pi_entropy ent policy_ent pi_ent",
    "exploration.relative_entropy": "normalized_entropy normalised_entropy entropy_normalized entropy_fraction",
    "exploration.action_std": "action_std act_std policy_std actor_std pi_std action_noise_std noise_std sigma",
    "exploration.action_std_min": "action_std_min policy_std_min",
    "exploration.epsilon": "epsilon exploration_rate exploration_epsilon epsilon_greedy eps_greedy exploration_eps",
    "exploration.temperature": "alpha temperature entropy_temperature sac_alpha",
    "exploration.temperature_loss": "alpha_loss loss_alpha temperature_loss",
    "exploration.entropy_coefficient": "entropy_coef entropy_coeff entropy_coefficient ent_coef",
    "optimizer.gradient_norm": "grad_norm gradient_norm gradnorm grad_norm_total total_grad_norm "
    "global_grad_norm gradients_grad_norm actor_grad_norm policy_grad_norm grad_norm_actor grad_norm_policy",
    "optimizer.critic_gradient_norm": "critic_grad_norm value_grad_norm grad_norm_critic grad_norm_value q_grad_norm",
    "optimizer.learning_rate": "learning_rate lr optim_lr optimizer_lr actor_lr policy_lr pi_lr lr_actor lr_policy "
    "step_size",
    "optimizer.critic_learning_rate": "critic_lr value_lr vf_lr q_lr lr_critic lr_value",
    "optimizer.loss": "loss total_loss loss_total",
    "optimizer.updates": "n_updates num_updates updates gradient_steps grad_steps optimizer_steps gradient_updates",
    "optimizer.parameter_change": "update_ratio relative_update relative_update_norm update_to_weight_ratio "
    "update_to_param_ratio param_update_ratio",
    "optimizer.parameter_norm": "param_norm params_norm parameter_norm weight_norm weights_norm theta_norm",
    "exploration.coverage": "visited_fraction state_coverage states_visited_fraction state_action_coverage coverage",
    "optimizer.gradient_noise_scale": "gradient_noise_scale grad_noise_scale",
    "optimizer.loss_scale": "loss_scale grad_scale amp_scale",
    "optimizer.skipped_steps": "skipped_steps skipped_updates",
    "optimizer.dead_units": "dead_units dormant_ratio dormant_fraction dead_neuron_fraction dead_relu_fraction",
    "system.env_steps_per_second": "fps sps steps_per_second steps_per_sec env_steps_per_second "
    "env_steps_per_sec frames_per_second frames_per_sec env_fps time_fps perf_fps perf_sps steps_s steps_per_s",
    "system.tokens_per_second": "tokens_per_second tokens_per_sec",
    "system.step_time": "step_time time_per_step iteration_time iter_time time_per_iteration seconds_per_step",
    "system.collect_time": "collect_time collection_time rollout_time sampling_time generation_time gen_time",
    "system.learn_time": "learn_time update_time training_time",
    "system.elapsed": "time_elapsed elapsed_time elapsed",
    "system.env_steps": "env_steps env_step total_env_steps num_env_steps timesteps total_timesteps "
    "num_timesteps timestep frames total_frames num_frames environment_steps",
    "system.memory": "rss_mb rss_gb system_rss_mb system_rss_gb memory_mb ram_mb memory_rss_mb process_memory_mb "
    "time_rss_mb rss mem_mb",
    "system.tokens": "num_tokens total_tokens tokens_seen",
}
"""Names in their one form, without a leading `train` and without `mean`."""

EVALUATION_NAMES = {
    "evaluation.return": "reward rewards return returns ret episode_return episode_reward episodic_return "
    "episodic_reward ep_return ep_reward ep_rew ep_ret cumulative_reward total_reward reward_total",
    "evaluation.return_std": "reward_std return_std returns_std rewards_std episode_return_std "
    "episode_reward_std ep_rew_std ep_reward_std",
    "evaluation.length": "length ep_length ep_len episode_length episode_len episodic_length",
    "evaluation.success_rate": "success success_rate is_success solve_rate goal_rate episode_success",
    "evaluation.win_rate": "win_rate winrate",
    "evaluation.score": "score test_score accuracy acc pass@1 pass_1 pass@k exact_match em f1 correct correctness "
    "fraction_correct frac_correct correct_rate",
    "evaluation.rating": "elo elo_rating",
    "evaluation.observation_mean": "obs observation observations state states",
    "evaluation.observation_std": "obs_std observation_std observations_std state_std",
}
"""The same after a word that says evaluation."""
