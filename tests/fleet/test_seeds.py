"""Seeds of one experiment are told from experiments, however their runs are named."""

from __future__ import annotations

import json

import pytest

from tests.cli.logs import healthy_log
from tests.fleet.sweeps import options
from weaklink.verbs.diagnose import diagnose

SEEDS = 7


def make_seeds(root, settings) -> None:
    for seed in range(SEEDS):
        folder = root / f"run_{seed}"
        healthy_log(folder)
        (folder / "config.json").write_text(json.dumps({"env_id": "CartPole-v1", **settings(seed)}))


@pytest.mark.parametrize(
    "settings",
    [
        lambda seed: {"algo": "ppo", "seed": seed},
        lambda seed: {"exp_name": f"ppo-seed{seed}", "seed": seed},
        lambda seed: {"algo": "ppo", "seed": seed, "policy_name": f"mlp_s{seed}"},
        lambda seed: {"algo": "ppo", "seed": seed, "total_timesteps": 100_000 + seed},
    ],
    ids=["plain", "in the name of the experiment", "in another name", "other lengths"],
)
def test_seven_seeds_are_not_called_one(tmp_path, settings):
    make_seeds(tmp_path, settings)
    done = diagnose(options(tmp_path))
    assert done.runs == SEEDS
    assert done.together is None or "EVA301" not in [finding.code for finding in done.together.findings]


def test_seven_experiments_of_one_seed_each_are_told(tmp_path):
    make_seeds(tmp_path, lambda seed: {"algo": "ppo", "seed": 0, "learning_rate": 1e-4 * (seed + 1)})
    together = diagnose(options(tmp_path)).together
    assert [finding.code for finding in together.findings] == ["EVA301"]
