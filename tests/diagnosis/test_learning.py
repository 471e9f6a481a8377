"""What a verdict of healthy must show, and what a log itself says of its settings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.evidence.config import Config
from weaklink.base.finding import Level
from weaklink.judge.diagnosis.diagnosis import Verdict
from weaklink.judge.diagnosis.engine import diagnose
from weaklink.judge.diagnosis.learning import has_learned

EPSILON = np.maximum(np.linspace(1.0, -0.9, 60), 0.05)


def annealed(length):
    """Wrong actions cost 9 and each step 1, as in Taxi; what is random is mostly wrong."""
    returns = -(1.0 + 3.0 * EPSILON) * length + np.random.default_rng(0).normal(0, 3.0, 60)
    return run_of({"exploration.epsilon": EPSILON, "reward.episode_return": returns, "task.episode_length": length})


def test_a_return_that_epsilon_alone_explains_is_not_learned():
    assert not has_learned(annealed(noisy(195.0, 1.0, points=60)))


def test_episodes_that_become_shorter_are():
    assert has_learned(annealed(np.linspace(200.0, 14.0, 60)))


def test_a_logged_learning_rate_is_judged_as_a_configured_one():
    curves = {"policy.kl": np.full(40, 1e-8), "reward.episode_return": noisy(20.0, 2.0, points=40)}
    run = run_of({**curves, "optimizer.learning_rate": np.full(40, 1e-7)})
    assert run.settings.number("learning_rate") == 1e-7
    assert run.settings.family == "on-policy"
    found = {finding.code: finding.severity for finding in diagnose(run).findings}
    assert found["OPT101"] is Level.WARN
    usual = run_of({**curves, "optimizer.learning_rate": np.full(40, 3e-4)})
    assert "OPT101" not in {finding.code for finding in diagnose(usual).findings}


def test_a_configured_rate_comes_before_a_logged_one():
    run = run_of({"optimizer.learning_rate": np.full(20, 1e-7), "policy.kl": np.full(20, 0.01)}, {"lr": 3e-4})
    assert run.settings.number("learning_rate") == 3e-4


def test_short_names_of_loops_by_hand_are_known():
    config = Config.of({"bs": 64, "buffer": 32, "vf": 0.5, "ent": 0.01, "eps_end": 0.05, "starts": 500, "sync": 100})
    assert {name: config.values[name] for name in ("batch_size", "buffer_size", "value_coefficient")} == {
        "batch_size": 64,
        "buffer_size": 32,
        "value_coefficient": 0.5,
    }
    assert {"entropy_coefficient", "exploration_final_epsilon", "learning_starts", "target_update_interval"} <= set(
        config.values
    )


def test_a_loop_whose_updates_could_not_be_read_is_not_called_healthy():
    run = run_of({"reward.episode_return": np.linspace(0.0, 100.0, 60) + noisy(0.0, 2.0, points=60)})
    whole = replace(run, checked=("RET201", "RET202", "RET203", "RET204", "POL205", "VAL203", "EXP202"))
    assert diagnose(whole).verdict is Verdict.HEALTHY
    assert diagnose(replace(whole, readings=((), (), ("a",)))).verdict is Verdict.HEALTHY
    unread = diagnose(replace(whole, readings=((), ("the targets follow nothing",), ("the targets follow nothing",))))
    assert unread.verdict is Verdict.UNCLEAR
    assert any("of 3 updates" in note and "2 could not be read whole" in note for note in unread.notes)


def test_a_multiple_of_the_start_is_learning_before_half_of_the_way():
    cartpole = {"env_id": "CartPole-v1"}
    assert has_learned(run_of({"reward.episode_return": ramp(22, 220, 4.0)}, cartpole))
    assert not has_learned(run_of({"reward.episode_return": ramp(22, 60, 2.0)}, cartpole))


def test_a_setting_far_from_all_usual_ones_withholds_health():
    curves = {
        "reward.episode_return": rising(-9, 9),
        "task.episode_length": noisy(50, 2),
        "policy.kl": noisy(0.01, 0.001),
    }
    usual, odd = (diagnose(run_of(curves, {"algo": "ppo", "clip_range": clip})).verdict for clip in (0.2, 20.0))
    assert (usual, odd) == (Verdict.HEALTHY, Verdict.UNCLEAR)


def test_a_reward_that_rises_while_the_task_is_never_once_solved_is_not_learned():
    paid = {"reward.mean": rising(0.1, 0.9)}
    assert not has_learned(run_of({**paid, "evaluation.score": np.zeros(100)}))
    assert has_learned(run_of({**paid, "evaluation.score": np.append(np.zeros(60), ramp(0.0, 0.3, points=40))}))
    assert has_learned(run_of({**paid, "evaluation.score": np.zeros(3)}))


def test_a_policy_that_never_came_to_act_is_not_known_to_have_learned():
    tested = {"evaluation.return": rising(-0.8, 1.0, points=60)}
    assert not has_learned(run_of({**tested, "exploration.epsilon": np.full(60, 1.0)}))
    assert has_learned(run_of({**tested, "exploration.epsilon": EPSILON}))
