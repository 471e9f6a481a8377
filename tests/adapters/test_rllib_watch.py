"""Algorithms of RLlib, watched through their callbacks: what is recorded of the learner and of each env runner."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

import weaklink
from tests.patience import PATIENCE
from weaklink.base.errors import UsageError

NEEDED = ("ray", "tree", "lz4", "ormsgpack")
pytestmark = [
    pytest.mark.skipif(not all(map(find_spec, NEEDED)), reason=f"needs {', '.join(NEEDED)}"),
    pytest.mark.filterwarnings("ignore"),
]

ROOT = Path(__file__).parents[2]


@pytest.mark.whole
def test_a_ppo_of_rllib_is_recorded_and_what_is_planted_in_it_is_named(tmp_path):
    command = [sys.executable, "-m", "tests.adapters.rllib_training", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=10 * PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"name"')]
    assert [one["kept"] for one in told] == [False] * 3  # results are as they are without
    assert [one["callbacks"] for one in told] == [1] * 3
    healthy, rate, apart = (weaklink.diagnose(tmp_path / one["name"]) for one in told)
    assert not [one.code for one in healthy.findings if one.severity.name != "INFO"]
    assert rate.first_break is not None
    assert rate.first_break.code == "OPT101"
    assert apart.first_break is not None
    assert apart.first_break.code == "REW401"  # of two, each is apart from the other


class Watcher:
    """Takes whatever it is told, and lets every fault through."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.stop = folder, False
        self.config, self.context, self.rows = {}, {"name": "run"}, []

    def attempt(self, part, work):
        return work()

    def metrics(self, step, numbers):
        self.rows.append((step, dict(numbers)))

    def on_failure(self, save):
        self.saves = save


class Group:
    """Env runners in this process."""

    def __init__(self, count: int) -> None:
        self.runners = [SimpleNamespace(worker_index=1 + place, _callbacks=[]) for place in range(count)]

    def foreach_env_runner(self, work, remote_worker_ids=None, **_):
        for runner in self.runners:
            if remote_worker_ids is None or runner.worker_index in remote_worker_ids:
                work(runner)


def make_algorithm(count: int = 2):
    known = {"lr": 1e-3, "env": "CartPole-v1", "seed": None, "model": {"free_log_std": False}, "lambda": 0.95}
    config = SimpleNamespace(
        to_dict=lambda: known,
        algo_class=type("PPO", (), {}),
        num_env_runners=count,
        enable_env_runner_and_connector_v2=True,
        total_train_batch_size=1024,
    )
    metrics = SimpleNamespace(delete=lambda *key, key_error: None)
    group = Group(count)
    return SimpleNamespace(config=config, callbacks=[], env_runner_group=group, save_to_path=print, metrics=metrics)


def make_result(iteration: int, told: dict):
    return {
        "env_runners": {"episode_return_mean": 20.0 + iteration, "weaklink": told},
        "learners": {"default_policy": {"mean_kl_loss": 0.01, "weights_seq_no": float(iteration)}},
        "num_env_steps_sampled_lifetime": 512.0 * iteration,
        "training_iteration": iteration,
        "config": {"lr": 1e-3},
    }


def list_rows(folder: Path) -> list[dict[str, float]]:
    lines = map(json.loads, (folder / "weaklink.jsonl").read_text().splitlines())
    return [line["metrics"] for line in lines if "metrics" in line]


def test_each_runner_has_a_recording_of_its_own_beside_the_learners(tmp_path, monkeypatch):
    from weaklink.adapters.rllib.watch import watch

    monkeypatch.setattr("ray.is_initialized", lambda: True)
    algorithm, watcher = make_algorithm(), Watcher(tmp_path)
    detach = watch(algorithm, watcher)
    assert watcher.config["lr"] == 1e-3
    assert (watcher.config["algo"], watcher.config["env_id"]) == ("ppo", "CartPole-v1")
    assert watcher.context["rank"]["world"] == 3
    assert not watcher.context["rank"]["collects"]
    results = []
    for iteration in range(1, 13):
        told = {
            "1": {"returns": 40.0, "episodes": 2.0, "weights": iteration - 1.0},
            "2": {"returns": 0.0, "episodes": 0.0, "weights": 0.0},
        }
        results.append(make_result(iteration, told))
        algorithm.callbacks[-1].on_train_result(algorithm=algorithm, result=results[-1])
    detach()
    assert algorithm.callbacks == []
    assert all(not runner._callbacks for runner in algorithm.env_runner_group.runners)
    assert all("weaklink" not in result["env_runners"] for result in results)
    step, row = watcher.rows[-1]
    assert (step, row["policy.kl"], row["reward.episode_return"]) == (6144.0, 0.01, 32.0)
    assert list_rows(tmp_path / "rank-1") == [{"reward.episode_return": 20.0, "data.staleness": 1.0}] * 12
    assert list_rows(tmp_path / "rank-2") == [{"data.staleness": float(late)} for late in range(1, 13)]


def test_runners_that_are_started_again_tell_too_and_none_twice(tmp_path):
    from weaklink.adapters.rllib.watch import watch

    algorithm = make_algorithm()
    watch(algorithm, Watcher(tmp_path))
    runners = algorithm.env_runner_group.runners
    assert [len(runner._callbacks) for runner in runners] == [1, 1]
    runners[1]._callbacks.clear()
    algorithm.callbacks[-1].on_env_runners_recreated(env_runner_indices=[2], is_evaluation=False)
    algorithm.callbacks[-1].on_env_runners_recreated(env_runner_indices=[1], is_evaluation=False)
    assert [len(runner._callbacks) for runner in runners] == [1, 1]


def test_a_runner_sends_its_own_numbers_and_never_raises():
    from weaklink.adapters.rllib.listening import RunnerListener

    sent = {}
    logger = SimpleNamespace(log_value=lambda key, value, reduce: sent.setdefault((key, reduce), []).append(value))
    runner = SimpleNamespace(worker_index=2, _weights_seq_no=7)
    listener = RunnerListener()
    listener.on_episode_end(episode=SimpleNamespace(get_return=lambda: 3.0), env_runner=runner, metrics_logger=logger)
    listener.on_sample_end(env_runner=runner, metrics_logger=logger, samples=[])
    listener.on_episode_end(episode=None, env_runner=None, metrics_logger=None)
    assert sent == {
        (("weaklink", "2", "returns"), "sum"): [3.0],
        (("weaklink", "2", "episodes"), "sum"): [1.0],
        (("weaklink", "2", "weights"), "min"): [7.0],
    }


def test_a_thing_of_ray_that_is_no_algorithm_is_refused(tmp_path):
    from ray.rllib.callbacks.callbacks import RLlibCallback

    with pytest.raises(UsageError, match="RLlib"):
        weaklink.attach(RLlibCallback(), tmp_path)
