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
    ],
)
def test_words_tell_what_no_table_has(metric, keys):
    told = {key: getattr(DIALECT.alias(key), "metric", None) for key in keys.split()}
    assert told == dict.fromkeys(keys.split(), metric)


@pytest.mark.parametrize(
    "key", ["max_grad_norm", "target_kl", "clip_grad_norm", "obs_reward", "states", "disc_return", "q_std"]
)
def test_settings_and_other_quantities_stay_unknown(key):
    assert DIALECT.alias(key) is None
