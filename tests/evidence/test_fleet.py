from __future__ import annotations

from dataclasses import replace

import pytest

from tests.curves import noisy, rising, run_of
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.fleet import Fleet, PeerRun, find_evaluation_settings, split_version


def trained(**config):
    return run_of({"reward.episode_return": rising(20, 400)}, config)


def test_a_peer_keeps_how_the_run_ended():
    peer = PeerRun.of(trained(algo="PPO", env="CartPole-v1", seed=3))
    assert (peer.algorithm, peer.environment, peer.version, peer.seed) == ("ppo", "CartPole", "v1", "3")
    assert peer.metric == "reward.episode_return"
    assert peer.final == pytest.approx(400, rel=0.1)
    assert peer.start < 200
    assert 0 < peer.noise < 20
    assert not peer.evaluated


def test_a_peer_of_an_empty_run_knows_nothing():
    peer = PeerRun.of(run_of({}))
    assert peer.final is None
    assert peer.metric == ""


def test_runs_are_taken_one_by_one():
    fleet = Fleet.of(trained(algo="sac", env="Ant-v5", seed=seed) for seed in range(3))
    assert len(fleet) == 3
    assert [peer.seed for peer in fleet] == ["0", "1", "2"]


def test_groups_share_algorithm_and_environment():
    fleet = Fleet.of(
        [
            trained(algo="ppo", env="Hopper-v4"),
            trained(algo="ppo", env="Hopper-v5"),
            trained(algo="sac", env="Hopper-v5"),
            trained(algo="ppo"),
        ]
    )
    assert [(group.title, len(group.peers)) for group in fleet.groups] == [("ppo on Hopper", 2), ("sac on Hopper", 1)]
    assert len(fleet.groups[0].replicates()) == 2  # the versions differ


def test_replicates_differ_in_their_seed_alone():
    fleet = Fleet.of(
        [
            trained(algo="ppo", env="Hopper-v5", seed=1, gamma=0.99),
            trained(algo="ppo", env="Hopper-v5", seed=2, gamma="0.99"),
            trained(algo="ppo", env="Hopper-v5", seed=3, gamma=0.9),
        ]
    )
    assert [len(peers) for peers in fleet.groups[0].replicates()] == [2, 1]


@pytest.mark.parametrize(
    ("environment", "parts"),
    [
        ("Hopper-v5", ("Hopper", "v5")),
        ("ALE/Breakout-v5", ("ALE/Breakout", "v5")),
        ("maze", ("maze", "")),
        ("", ("", "")),
    ],
)
def test_versions_are_taken_apart(environment, parts):
    assert split_version(environment) == parts


def test_the_seed_is_found_in_the_name():
    run = run_of({"reward.mean": noisy(0, 1)})
    assert PeerRun.of(run).seed == ""
    assert PeerRun.of(replace(run, name="ppo_seed-42")).seed == "42"
    assert PeerRun.of(replace(run, name="ppo_walker_128x4_s3")).seed == "3"


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ({"n_eval_episodes": 5}, {"n_eval_episodes": "5"}),
        ({"evaluation_config": {"explore": False}}, {"evaluation_config.explore": "False"}),
        (
            {"actor_rollout_ref": {"rollout": {"val_kwargs": {"top_p": 0.7}}}},
            {"actor_rollout_ref.rollout.val_kwargs.top_p": "0.7"},
        ),
        ({"eval": {"max_new_tokens": 512.0}}, {"eval.max_new_tokens": "512"}),
        ({"pass_at_k": 8}, {"pass_at_k": "8"}),
        ({"evaluation_interval": 5, "eval_freq": 1000, "per_device_eval_batch_size": 8, "eval_seed": 3}, {}),
        ({"temperature": 0.7, "max_tokens": 100, "deterministic": True}, {}),
        ({"eval_temperature": None}, {}),
    ],
)
def test_evaluation_settings(raw, found):
    assert find_evaluation_settings(Config.of(raw)) == found


def test_long_settings_are_told_apart_in_short():
    one, other = (find_evaluation_settings(Config.of({"system_prompt": "x" * 5000 + end})) for end in "ab")
    assert one != other
    assert len(one["system_prompt"]) < 100
