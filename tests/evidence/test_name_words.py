from __future__ import annotations

import pytest

from weaklink.base.evidence.common_names import DIALECT


@pytest.mark.parametrize(
    ("metric", "keys"),
    [
        ("observation.std", "obs_std state_std obs/std obs_rms_var"),
        ("observation.non_finite", "obs_nan n_obs_nans"),
        ("action.saturated_fraction", "act_clip_frac action_saturated_frac sat_frac actions_at_bound"),
        ("action.invalid_fraction", "invalid_actions illegal_action_rate rollout/invalid_moves"),
        ("data.sample_age", "sample_age replay_age"),
        ("optimizer.gradient_norm", "gnorm gnorm_pi policy_net_grad_norm"),
        ("optimizer.critic_gradient_norm", "gnorm_v grad_norm_q"),
        ("evaluation.return", "return_eval greedy_return eval_avg_rew"),
        ("task.episode_length", "stats/ep_len len mean_steps"),
        ("reward.episode_return", "stats/return avg100 mean_return_last_100"),
        ("observation.std", "observation_standard_deviation"),
        ("exploration.action_std", "policy_standard_deviation"),
        ("task.success_rate", "fraction_of_successes"),
        ("task.completion_length", "resp_len"),
        ("task.truncated_fraction", "trunc_frac"),
        ("optimizer.loss", "tot_loss"),
        ("policy.loss", "losses/loss_of_policy lossActor"),
        ("value.loss", "LossCritic critic/mse"),
        ("policy.kl", "kl_apx approximateKl"),
        ("returns.advantage_std", "std_adv"),
        ("exploration.epsilon", "explore/epsilon"),
        ("task.episode_length", "eplen"),
        ("returns.target_mean", "losses/target_mean"),
        ("action.saturated_fraction", "losses/action_clip_fraction"),
        ("task.success_rate", "custom_metrics/success_mean"),
        ("value.q_mean", "update/q_mean dqn/q_values"),
        ("optimizer.loss", "update/loss"),
        ("observation.clipped_fraction", "ObsClipFrac obs/clipped_frac"),
        ("observation.max", "env/obs_absmax ObsAbsMax"),
        ("evaluation.observation_std", "eval/obs_std"),
        ("observation.mean.3", "obs/mean_3 custom_metrics/obs_3_mean"),
        ("observation.std.0", "obs_0_std"),
        ("reward.of_member.7", "per_env/return_7 env_7/episode_return"),
        ("task.difficulty", "curriculum/level"),
        ("policy.first_ratio_deviation", "ratio_maxdev_first_minibatch actor/ratio_dev_first"),
        ("policy.optimal_share", "optimal_action_rate pct_best_arm"),
        ("data.terminal_fraction", "batch/done_frac replay/terminal_share dones_in_batch_pct"),
        ("policy.first_ratio_deviation", "ratio_std_first_minibatch"),
        ("reward.of_member.2", "env2/return"),
        ("value.target_distance", "target_network_dist target_params_distance online_target_gap"),
        ("evaluation.observation_mean", "test/observation_mean"),
        ("reward.chosen", "chosen_rewards"),
        ("value.td_error", "td_error value/td_error mean_abs_td_error TdError"),
    ],
)
def test_words_tell_what_no_table_has(metric, keys):
    told = {key: getattr(DIALECT.alias(key), "metric", None) for key in keys.split()}
    assert told == dict.fromkeys(keys.split(), metric)


@pytest.mark.parametrize(
    "key",
    [
        "max_grad_norm",
        "target_kl",
        "clip_grad_norm",
        "obs_reward",
        "states",
        "disc_return",
        "q_std",
        "kl_coef_target",
        "success_reward",
        "rewards/step",
        "adam_epsilon",
        "epsilon_final",
        "td_error_max",
        "td",
        "losses/returns",
        "distance_to_target",
        "best_return",
        "first_epoch_ratio_maxdev",
        "done",
        "env/target_distance_mean",
    ],
)
def test_settings_and_other_quantities_stay_unknown(key):
    assert DIALECT.alias(key) is None
