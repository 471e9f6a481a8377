"""Checklists of a training that runs and of one that has ended."""

from __future__ import annotations

from dataclasses import replace

from tests.curves import noisy, rising, run_of
from weaklink.base.evidence.run import Run
from weaklink.base.finding import HIGH, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.checklists import ChecklistItem
from weaklink.judge.diagnosis.checklists_training import check_after_training, check_during_training
from weaklink.judge.diagnosis.engine import diagnose


def a_run(clip: float = 0.1, end: float = 400.0) -> Run:
    curves = {
        "reward.episode_return": rising(20, end, 3.0),
        "policy.kl": noisy(0.01, 0.001),
        "policy.clip_fraction": noisy(clip, 0.01),
        "value.explained_variance": rising(0.1, 0.9),
        "optimizer.gradient_norm": noisy(1.0, 0.1),
    }
    return run_of(curves, {"algorithm": "PPO", "gamma": 0.99})


def during(run: Run) -> dict[str, ChecklistItem]:
    return {item.name: item for item in check_during_training(run, diagnose(run))}


def test_a_healthy_run_ticks_what_it_logs() -> None:
    items = during(a_run())
    done = {name for name, item in items.items() if item.state == "done"}
    assert {"size of the updates", "clipping", "critic", "gradients and numbers", "return"} <= done
    assert items["return and evaluation"].state == "open"
    assert items["return and evaluation"].command
    assert not items["clipping"].command


def test_what_fires_fails_its_item() -> None:
    items = during(a_run(clip=0.7, end=20.0))
    assert items["clipping"].state == "failed"
    assert "clip fraction" in items["clipping"].told


def test_recomputed_updates_are_ticked_by_what_was_recomputed() -> None:
    run = a_run()
    assert during(run)["first updates recomputed"].state == "open"
    assert during(replace(run, checked=("RET201", "POL201")))["first updates recomputed"].state == "done"
    wrong = Finding(
        message="Advantages differ.", code="RET201", name="x", link=Link.RETURNS, level=Level.ERROR, confidence=HIGH
    )
    assert during(replace(run, proven=(wrong,)))["first updates recomputed"].state == "failed"


def test_what_an_algorithm_has_not_is_not_asked() -> None:
    run = run_of({"reward.episode_return": rising(20, 400)}, {"algorithm": "DQN"})
    assert "clipping" not in during(run)
    assert "length of responses" not in during(run)


def test_a_short_training_leaves_open_what_comes_after() -> None:
    run = a_run()
    items = {item.name: item for item in check_after_training(run, diagnose(run), "project.py")}
    assert items["several seeds"].state == "open"
    assert items["experiment context"].state == "done"
    assert all(item.command for item in items.values() if item.state == "open")
