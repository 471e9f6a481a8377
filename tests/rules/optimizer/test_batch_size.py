from __future__ import annotations

from weaklink.base.evidence.config import Config
from weaklink.base.finding import CannotTell, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT102")


def sick():
    return [
        Config.of({"algo": "ppo", "batch_size": 32}),
        Config.of({"algo": "ppo", "num_envs": 4096, "num_steps": 24, "num_minibatches": 4}),
        Config.of({"algo": "ppo", "n_steps": 2049, "n_envs": 1, "batch_size": 64}),
        Config.of({"algo": "a2c", "n_steps": 5, "n_envs": 16}),
    ]


def healthy():
    return [
        Config.of({"algo": "ppo", "n_steps": 2048, "n_envs": 1, "batch_size": 512}),
        Config.of({"algo": "ppo", "num_envs": 8, "num_steps": 128, "num_minibatches": 4}),
        Config.of({"algo": "sac", "batch_size": 64}),
        Config.of({"algo": "grpo", "per_device_train_batch_size": 4}),
        # a rest of one sample, and trainers that do not normalise, or drop what is left
        Config.of({"algo": "a2c", "n_steps": 257, "n_envs": 1}),
        Config.of({"algo": "ppo", "n_steps": 1025, "n_envs": 1, "batch_size": 512, "normalize_advantage": False}),
        Config.of({"algo": "ppo", "num_steps_per_env": 1025, "num_envs": 1, "mini_batch_size": 512}),
    ]


def test_defaults_of_common_libraries_are_no_alarm():
    answer = RULE.ask(Config.of({"algo": "ppo", "n_steps": 2048, "n_envs": 1, "batch_size": 64}))
    assert answer.level is Level.INFO


def test_a_lone_last_sample_is_an_error():
    answer = RULE.ask(Config.of({"algo": "ppo", "n_steps": 1025, "n_envs": 1, "batch_size": 512}))
    assert answer.level is Level.ERROR
    assert "1,025" in answer.message
    cleanrl = {
        "exp_name": "ppo",
        "num_steps": 171,
        "num_envs": 3,
        "num_minibatches": 4,
        "batch_size": 513,
        "minibatch_size": 128,
    }
    assert RULE.ask(Config.of(cleanrl)).level is Level.ERROR


def test_an_advantage_normalised_alone_is_a_fault_of_the_returns():
    answer = RULE.ask(Config.of({"algo": "a2c", "num_envs": 1, "num_steps": 1, "norm_adv": True}))
    assert answer.link is Link.RETURNS
    last = RULE.ask(Config.of({"algo": "ppo", "n_steps": 1025, "n_envs": 1, "batch_size": 512}))
    assert last.link is Link.OPTIMIZER


def test_says_what_is_missing():
    assert RULE.ask(Config.of({"batch_size": 32})) == CannotTell(
        ("algorithm",), "only on-policy algorithms cut a rollout into minibatches"
    )
    assert isinstance(RULE.ask(Config.of({"algo": "ppo"})), CannotTell)
