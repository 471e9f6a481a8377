"""Hyper-parameters beside logs, in the places of each trainer."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from weaklink.base.errors import CorruptLog
from weaklink.base.evidence.config import Config
from weaklink.collect.readers import hyperparameters

SAMPLES = Path(__file__).parent / "samples"


def put(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def test_the_rl_zoo():
    config = Config.of(hyperparameters.read_beside(SAMPLES / "rl_zoo" / "ppo" / "CartPole-v1_1"))
    assert config.algorithm == "ppo"
    assert config.values["environment"] == "CartPole-v1"
    assert config.number("total_steps") == 100_000
    assert config.number("clip_range") == 0.2
    assert config.number("seed") == 3109947629
    assert config.raw["policy_kwargs"] == "dict(net_arch=[64, 64], activation_fn=nn.ReLU)"


def test_the_rl_zoo_from_its_events(tmp_path):
    zoo = tmp_path / "ppo" / "CartPole-v1_1" / "CartPole-v1"
    put(zoo / "config.yml", "n_envs: 8\n")
    put(zoo / "args.yml", "algo: ppo\nenv: CartPole-v1\nn_timesteps: -1\n")
    put(zoo / "env_kwargs.yml", "{}\n")
    (zoo / "PPO_1").mkdir()
    assert hyperparameters.read_beside(zoo / "PPO_1") == {"n_envs": 8, "algo": "ppo", "env": "CartPole-v1"}


def test_spinning_up_and_rllib():
    assert hyperparameters.read_beside(SAMPLES / "spinningup" / "ppo_s0")["pi_lr"] == 0.0003
    trial = hyperparameters.read_beside(SAMPLES / "rllib" / "PPO_CartPole-v1_1a2b3_00000")
    assert trial["entropy_coeff"] == 0.0
    assert trial["algo"] == "ppo"


def test_hydra_and_isaac_lab(tmp_path):
    put(tmp_path / "a" / ".hydra" / "config.yaml", "optim:\n  lr: 0.1\n")
    put(tmp_path / "b" / "params" / "agent.yaml", "seed: 42\nalgorithm:\n  class_name: PPO\n  clip_param: 0.2\n")
    (tmp_path / "a" / "tb").mkdir()
    assert hyperparameters.read_beside(tmp_path / "a") == {"optim": {"lr": 0.1}}
    assert hyperparameters.read_beside(tmp_path / "a" / "tb") == {"optim": {"lr": 0.1}}
    assert Config.of(hyperparameters.read_beside(tmp_path / "b")).number("clip_range") == 0.2
    assert hyperparameters.read_beside(tmp_path / "b")["algo"] == "PPO"


def test_wandb(tmp_path):
    content = (
        "wandb_version: 1\nlr:\n  desc: null\n  value: 0.1\nnet:\n  value: [64, 64]\n_wandb:\n  value:\n    cli: x\n"
    )
    put(tmp_path / "files" / "config.yaml", content)
    assert hyperparameters.read_beside(tmp_path) == {"lr": 0.1, "net": [64, 64]}


def test_ml_agents(tmp_path):
    put(
        tmp_path / "configuration.yaml",
        "behaviors:\n  Walker:\n    trainer_type: ppo\n    max_steps: 100\nenv_settings:\n  seed: 3\n",
    )
    (tmp_path / "Walker").mkdir()
    assert hyperparameters.read_beside(tmp_path / "Walker") == {
        "trainer_type": "ppo",
        "max_steps": 100,
        "env_settings": {"seed": 3},
    }


def test_the_name_of_a_folder(tmp_path):
    for name in ("SAC_3", "CartPole-v1__ppo__7__1690000000", "something"):
        (tmp_path / name).mkdir()
    assert hyperparameters.read_beside(tmp_path / "SAC_3") == {"algo": "sac"}
    cleanrl = Config.of(hyperparameters.read_beside(tmp_path / "CartPole-v1__ppo__7__1690000000"))
    assert (cleanrl.algorithm, cleanrl.number("seed"), cleanrl.values["environment"]) == ("ppo", 7, "CartPole-v1")
    assert hyperparameters.read_beside(tmp_path / "something") == {}


def test_the_configuration_of_a_language_model_is_not_that_of_its_training(tmp_path):
    put(tmp_path / "config.json", json.dumps({"architectures": ["X"], "temperature": 5}))
    assert hyperparameters.read_beside(tmp_path) == {}


def test_pickles_are_never_read(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("the pickle was loaded",))

    for name in ("training_args.bin", "params.pkl", "config.yaml", "args.json"):
        (tmp_path / name).write_bytes(pickle.dumps(Bomb()))
    hyperparameters.find(tmp_path)


def test_damage_is_a_remark(tmp_path):
    put(tmp_path / "config.yaml", "a: [1, 2")
    put(tmp_path / "params.json", '{"lr": 0.1}')
    put(tmp_path / "args.json", "[1]")
    found = hyperparameters.find(tmp_path)
    assert found.values == {"lr": 0.1}
    assert len(found.notes) == 2


def test_what_is_too_large_or_too_deep(tmp_path, monkeypatch):
    put(tmp_path / "config.json", '{"a":' * 50_000)
    monkeypatch.setattr(hyperparameters, "LARGEST_CONFIG", 1000)
    put(tmp_path / "params.json", json.dumps({"a": "x" * 2000}))
    assert len(hyperparameters.find(tmp_path).notes) == 2
    deep: dict = {}
    for _ in range(40):
        deep = {"a": deep}
    put(tmp_path / "args.json", json.dumps({"lr": 1, "b": deep}))
    assert Config.of(hyperparameters.read_beside(tmp_path)).number("learning_rate") == 1


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    put(tmp_path / "secret.json", '{"lr": 1}')
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "config.json").symlink_to(tmp_path / "secret.json")
    assert hyperparameters.read_beside(tmp_path / "run") == {}


def test_a_file_given_alone(tmp_path):
    path = put(tmp_path / "args.yml", "lr: 0.1\n")
    assert hyperparameters.handles(path)
    log = hyperparameters.read([path])[0]
    assert log.config == {"lr": 0.1}
    assert not log.columns
    with pytest.raises(CorruptLog, match="top is a mapping"):
        hyperparameters.read([put(tmp_path / "config.json", "[1, 2]")])
