"""Options of training scripts, read from sources as people write them."""

from __future__ import annotations

import pytest

from weaklink.collect.probes.script_options import find_options, may_have_options, read_help

ARGPARSE = """
import argparse
p = argparse.ArgumentParser()
p.add_argument("-e", "--env_name", type=str, default="Hopper-v4")
p.add_argument("--max_timesteps", type=int, default=int(1e6))
p.add_argument("--start_timesteps", type=float, default=25e3)
p.add_argument("--seed", default=0)
p.add_argument("--discount", default=0.99)
"""

TYRO = """
from dataclasses import dataclass
import tyro

@dataclass
class Args:
    env_id: str = "CartPole-v1"
    total_timesteps: int = 500000
    num_steps: int = 128
    num_envs: int = 4
    seed: int = 1

@dataclass
class Other:
    steps: int
args = tyro.cli(Args)
"""

CLICK = """
import click
@click.command()
@click.option("--environment", "-e", default="CartPole-v1")
@click.option("--num-steps", default=1_000_000)
def main(environment, num_steps): ...
"""

NONE = """
import dataclasses

@dataclasses.dataclass
class Row:
    env: str
    seed: int
"""


@pytest.mark.parametrize(("source", "flags"), [
    (ARGPARSE, {"env": "--env_name", "steps": "--max_timesteps", "warmup": "--start_timesteps", "seed": "--seed",
                "gamma": "--discount"}),
    (TYRO, {"env": "--env-id", "steps": "--total-timesteps", "rollout": "--num-steps", "members": "--num-envs",
            "seed": "--seed"}),
    (CLICK, {"env": "--environment", "steps": "--num-steps"}),
    (NONE, {}),
    ("not python (", {}),
])  # fmt: skip
def test_options_are_read_from_the_source(tmp_path, source, flags):
    file = tmp_path / "train.py"
    file.write_text(source)
    assert {purpose: option.flag for purpose, option in find_options(file).items()} == flags


def test_a_short_number_of_steps_is_that_of_a_rollout(tmp_path):
    file = tmp_path / "train.py"
    file.write_text(CLICK.replace("1_000_000", "2048"))
    assert "steps" not in find_options(file)


def test_the_configuration_of_hydra_is_read_with_its_groups(tmp_path):
    (tmp_path / "conf" / "env").mkdir(parents=True)
    (tmp_path / "conf" / "config.yaml").write_text(
        "defaults:\n  - env: cart\n  - _self_\nseed: 3\ntrain:\n  total_steps: 100000\nalgo:\n  gamma: 0.99\n"
    )
    (tmp_path / "conf" / "env" / "cart.yaml").write_text("id: CartPole-v1\nfactor: 2\n")
    file = tmp_path / "train.py"
    file.write_text('import hydra\n@hydra.main(config_path="conf", config_name="config")\ndef main(cfg): ...\n')
    found = find_options(file)
    assert {purpose: option.words("X") for purpose, option in found.items()} == {
        "env": ("env.id=X",),
        "steps": ("train.total_steps=X",),
        "seed": ("seed=X",),
        "gamma": ("algo.gamma=X",),
    }
    assert found["env"].default == "CartPole-v1"


def test_a_help_text_tells_options_and_defaults():
    found = read_help("""usage: train.py [-h] [--env ENV]
options:
  -h, --help            show this help message and exit
  --env ENV             the environment (default: CartPole-v1)
  --num-frames N        frames of the training (default: 100000)
│ --random-seed INT     seed (default: 4)                      │
""")
    assert {purpose: (option.flag, option.default) for purpose, option in found.items()} == {
        "env": ("--env", "CartPole-v1"),
        "steps": ("--num-frames", "100000"),
        "seed": ("--random-seed", "4"),
    }


def test_only_a_script_that_reads_a_command_line_is_asked_for_help(tmp_path):
    file = tmp_path / "train.py"
    file.write_text("import torch\nimport options\n")
    assert not may_have_options(file)
    (tmp_path / "options.py").write_text("")
    assert may_have_options(file)


def test_a_help_without_options_serves_no_purpose():
    assert read_help("") == {}
    assert read_help("episode 1: 12.0\nepisode 2: 14.0\n") == {}
