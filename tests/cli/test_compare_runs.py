"""`weaklink compare` with training runs: folders of them, diverged ones, and runs beside an evaluation by item."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import weaklink
from tests.cli.logs import call_here, progress_csv
from tests.cli.test_compare import document, evaluated, seeds
from tests.curves import rising
from tests.unwrapping import unwrapped
from weaklink.base.evidence.store import Recording


def test_folders_of_runs_and_recordings(tmp_path):
    for name, level in (("a", 1.0), ("b", 2.0)):
        for seed in range(4):
            with Recording(tmp_path / name / f"seed{seed}", config={"env": "Maze", "seed": seed}) as recording:
                for step in range(40):
                    recording.write(
                        step, {"reward.episode_return": level + 0.01 * seed, "evaluation.return": 2 * level}
                    )
    code, found = document("a", "b", cwd=tmp_path)
    assert code == 0
    assert found["measure"] == "evaluation.return"
    assert [party["value"] for party in found["scores"]["parties"]] == [2.0, 4.0]
    _, other = document("a", "b", "--metric", "reward.episode_return", cwd=tmp_path)
    assert other["scores"]["parties"][1]["value"] == pytest.approx(2.015)


@pytest.mark.parametrize(("other", "expected"), [({"deterministic": True}, 0), ({"deterministic": False}, 1)])
def test_the_protocol_that_a_monitor_was_told_is_compared(tmp_path, other, expected):
    for name, protocol in (("a", {"deterministic": True}), ("b", other)):
        for seed in range(3):
            with weaklink.Monitor(
                tmp_path / name / f"seed{seed}",
                config={"env": "Maze", "seed": seed},
                evaluation={"episodes": 10, **protocol},
                sinks=(),
                tracker="none",
            ) as monitor:
                for step in range(40):
                    monitor.evaluate(step, np.full(10, 1.0 + 0.01 * seed))
    code, found = document("a", "b", cwd=tmp_path)
    assert code == expected
    assert [one["code"] for one in found["findings"] if one["level"] != "info"] == ["EVA302"] * expected


def diverged(folder: Path, seed: int, healthy: int, points: int = 60) -> None:
    curve = rising(20, 300, points=points, seed=seed)
    curve[healthy:] = np.nan
    progress_csv(folder, {"rollout/ep_rew_mean": curve})
    (folder / "config.json").write_text(json.dumps({"algo": "ppo", "env": "CartPole-v1", "seed": seed}))


@pytest.mark.parametrize("healthy", [0, 30, 54])
def test_a_seed_that_diverged_is_never_left_out_in_silence(tmp_path, healthy):
    seeds(tmp_path, "ppo", 300)
    seeds(tmp_path, "sac", 400)
    diverged(tmp_path / "ppo_2", 2, healthy)
    done = call_here("compare", "ppo_*", "sac_*", cwd=tmp_path)
    assert done.returncode == 2
    assert "ppo_2 has no level at its end: reward.episode_return is NaN from step" in unwrapped(done.stderr)
    assert len(done.stderr.splitlines()) == 1
    anyway = call_here("compare", "ppo_*", "sac_*", "--anyway", cwd=tmp_path)
    assert anyway.returncode == 0, anyway.stderr
    assert anyway.stdout.startswith("UNCLEAR  not all runs have a level at their end")
    assert "not comparable" in unwrapped(anyway.stdout)
    assert "ppo_2 was left out" in unwrapped(anyway.stdout)
    assert "is better" not in unwrapped(anyway.stdout)
    code, found = document("ppo_*", "sac_*", "--anyway", cwd=tmp_path)
    assert code == 0
    assert found["comparable"] is False
    assert [party["count"] for party in found["scores"]["parties"]] == [4, 5]


def test_where_every_seed_diverged_there_is_nothing_to_show(tmp_path):
    seeds(tmp_path, "sac", 400, 2)
    diverged(tmp_path / "ppo_0", 0, 30)
    done = call_here("compare", "ppo_0", "sac_*", "--anyway", cwd=tmp_path)
    assert done.returncode == 2
    assert "ppo_0 has no level at its end" in unwrapped(done.stderr)
    assert "--anyway" not in done.stderr


def test_gaps_and_one_last_missing_point_are_no_divergence(tmp_path):
    seeds(tmp_path, "sac", 400, 2)
    curve = rising(20, 300, points=60, seed=0)
    curve[[3, 20, 21, 40, 41, 42, 59]] = np.nan
    for seed in range(2):
        progress_csv(tmp_path / f"ppo_{seed}", {"rollout/ep_rew_mean": curve})
    assert weaklink.compare(f"{tmp_path}/ppo_*", f"{tmp_path}/sac_*").comparable


def test_a_measure_that_no_run_has_a_number_of_is_none(tmp_path):
    for name in ("a", "b"):
        with Recording(tmp_path / name, config={"env": "Maze"}) as recording:
            for step in range(40):
                recording.write(step, {"reward.episode_return": float("nan"), "reward.mean": 2.0})
    assert weaklink.compare(tmp_path / "a", tmp_path / "b").contrast.measure == "reward.mean"


@pytest.mark.parametrize("order", [("a.jsonl", "ppo_*"), ("ppo_*", "a.jsonl"), ("base", "ppo_0", "--anyway")])
def test_items_and_runs_are_never_compared(tmp_path, order):
    evaluated(tmp_path / "base", 0.5, task="CartPole")
    seeds(tmp_path, "ppo", 300, 2)
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"id": n, "score": n % 2}) + "\n" for n in range(20)))
    done = call_here("compare", *order, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "has scores of items" in unwrapped(done.stderr)
    assert "training run" in unwrapped(done.stderr)
    assert len(done.stderr.splitlines()) == 1


def test_an_evaluation_by_seed_stands_beside_runs(tmp_path):
    seeds(tmp_path, "ppo", 300, 4)
    weaklink.evaluation(tmp_path / "paper", scores=[400, 401, 402, 403], seeds=range(4), task="CartPole")
    assert weaklink.compare(tmp_path / "paper", f"{tmp_path}/ppo_*").scores.unit == "seed"


def test_a_log_without_steps_is_still_a_log(tmp_path):
    for name in ("a", "b"):
        rows = [{"reward": float(place), "loss": 1.0} for place in range(30)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert weaklink.compare(tmp_path / "a.jsonl", tmp_path / "b.jsonl").contrast.measure == "reward.mean"
