from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import weaklink
from tests.cli.logs import call
from tests.unwrapping import unwrapped
from weaklink.base.errors import UsageError
from weaklink.base.evidence.common_names import DIALECT
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.naming import check_metric, find_nearest_metric, name_series


def log(folder: Path, **columns: np.ndarray) -> Path:
    """A table as somebody's own loop writes it."""
    steps = np.arange(60) * 1000
    lines = [
        ",".join(["step", *columns]),
        *(",".join(map(str, row)) for row in zip(steps, *columns.values(), strict=True)),
    ]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "log.csv").write_text("\n".join(lines), encoding="utf-8")
    return folder


RISING = np.linspace(0.0, 100.0, 60) + np.sin(np.arange(60))


def test_a_key_is_read_as_what_the_user_says(tmp_path):
    run = weaklink.read(log(tmp_path, zzz=RISING))
    assert "reward.episode_return" not in run
    named = name_series(run, {"zzz": "reward.episode_return", "not-there": "policy.kl"})
    assert named["reward.episode_return"].values.tolist() == run.unknown["zzz"].values.tolist()
    assert named["reward.episode_return"].name == "reward.episode_return"
    assert "zzz" not in named.unknown
    assert named.performance is not None
    assert named.performance.improved


def test_what_the_user_says_comes_before_what_a_name_seems_to_mean(tmp_path):
    run = weaklink.read(log(tmp_path, episode_return=-RISING, score_of_mine=RISING))
    named = name_series(run, {"score_of_mine": "reward.episode_return"})
    assert named["reward.episode_return"].values[-1] > 0
    assert named.unknown["episode_return"].values[-1] < 0
    moved = name_series(run, {"episode_return": "reward.mean"})
    assert moved["reward.mean"].values[-1] < 0
    assert "reward.episode_return" not in moved


@pytest.mark.parametrize(
    ("key", "metric"),
    [
        ("ep_returns", "reward.episode_return"),
        ("train/approx_kll", "policy.kl"),
        ("reward.episode_retrun", "reward.episode_return"),
        ("my/learning_rates", "optimizer.learning_rate"),
        ("zzz", ""),
        ("custom/a", ""),
    ],
)
def test_the_nearest_metric(key, metric):
    assert find_nearest_metric(key) == metric


def test_a_metric_that_is_none_is_refused_with_the_nearest():
    assert check_metric("policy.kl") == "policy.kl"
    assert check_metric("reward.component.speed") == "reward.component.speed"
    with pytest.raises(UsageError, match=r"no metric 'policy.kll'. Do you mean policy.kl\?"):
        check_metric("policy.kll")


def test_the_option_and_the_file(tmp_path):
    run, told = log(tmp_path / "run", zzz=RISING, ep_returnz=RISING), "reward.episode_return"
    bare = unwrapped(call("diagnose", run, "-v", cwd=tmp_path).stdout)
    assert "2 keys of the log are not known: zzz, ep_returnz (reward.episode_return?). --map KEY=METRIC" in bare
    option = call("diagnose", run, "--map", f"zzz={told}", "-f", "json", cwd=tmp_path)
    assert json.loads(option.stdout)["unknown_keys"] == ["ep_returnz"]
    (tmp_path / "weaklink.toml").write_text(f'[map]\nzzz = "{told}"\n', encoding="utf-8")
    assert json.loads(call("diagnose", run, "-f", "json", cwd=tmp_path).stdout)["unknown_keys"] == ["ep_returnz"]
    wrong = call("diagnose", run, "--map", "zzz=rewards.return", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "There is no metric 'rewards.return'" in wrong.stderr
    assert call("diagnose", run, "--map", "zzz", cwd=tmp_path).returncode == 2
    (tmp_path / "weaklink.toml").write_text('[map]\nzzz = "nothing"\n', encoding="utf-8")
    assert "weaklink.toml" in call("diagnose", run, cwd=tmp_path).stderr


def test_the_python_way(tmp_path):
    run = log(tmp_path, zzz=RISING)
    assert weaklink.diagnose(run, names={"zzz": "reward.episode_return"}).unknown_keys == ()
    with pytest.raises(UsageError, match="no metric 'x'"):
        weaklink.diagnose(run, names={"zzz": "x"})


def test_settings_are_known_by_camel_case_and_metrics_below_rollout_too():
    config = Config.of({"totalSteps": 5, "learningRate": 0.1, "train.gaeLambda": 0.9, "entropyCoef": 0.01})
    assert set(config.values) == {"total_steps", "learning_rate", "gae_lambda", "entropy_coefficient"}
    keys = {"rollout/success": "task.success_rate", "rollout/epsilon": "exploration.epsilon", "rss_mb": "system.memory"}
    assert {key: DIALECT.meaning(key)[1].metric for key in keys} == keys


@pytest.mark.parametrize("key", ["exact_match", "pass_rate", "accuracy"])
def test_a_score_of_right_answers_is_a_success(tmp_path, key):
    run = weaklink.read(log(tmp_path, **{key: np.linspace(0.0, 0.9, 60)}))
    assert run["task.success_rate"].values[-1] == pytest.approx(0.9)


def test_what_is_said_of_completions_is_read_as_that_in_a_language_run_alone():
    said = {
        "truncated": "task.truncated_fraction",
        "gold": "reward.human_score",
        "eval/judge_free_score": "evaluation.score",
    }
    for key, metric in said.items():
        meaning, other = DIALECT.meaning(key, "language"), DIALECT.meaning(key, "on-policy")
        assert meaning is not None
        assert meaning[1].metric == metric
        assert other is None or other[1].metric != metric
