"""Updates of a DQN that hands nothing over, read from outside."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from torch import nn

import weaklink
from weaklink.base.evidence.rollout import Rollout
from weaklink.collect.monitor import governor

torch.set_num_threads(1)


def train(*, limit_ends: bool, steps: int = 420) -> None:
    """Deep Q-learning with a slow copy, on an environment that only a time limit ends."""
    torch.manual_seed(0)
    random = np.random.default_rng(0)
    env = gymnasium.wrappers.TimeLimit(gymnasium.make("MountainCar-v0"), 20)
    online = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))
    slow = copy.deepcopy(online)
    optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)
    kept: list[tuple[Any, ...]] = []
    state, _ = env.reset(seed=0)
    for step in range(steps):
        with torch.no_grad():
            best = int(online(torch.as_tensor(state)[None]).argmax())
        action = best if random.random() > 0.3 else int(random.integers(3))
        after, reward, terminated, truncated, _ = env.step(action)
        kept.append((state, action, reward, after, terminated or (truncated and limit_ends)))
        state = env.reset()[0] if terminated or truncated else after
        if step >= 300:
            rows = [kept[place] for place in random.integers(len(kept), size=64)]
            states, actions, rewards, followers, done = (
                torch.as_tensor(np.array(part)) for part in zip(*rows, strict=True)
            )
            with torch.no_grad():
                targets = rewards.float() + 0.97 * ~done * slow(followers).max(1).values
            values = online(states).gather(1, actions[:, None])[:, 0]
            optimizer.zero_grad()
            nn.functional.mse_loss(values, targets).backward()
            optimizer.step()
    env.close()


def watch(folder: Path, *, limit_ends: bool) -> tuple[weaklink.Monitor, list[Rollout]]:
    seen: list[Rollout] = []
    with weaklink.Monitor(folder, sinks=(), tracker="none") as monitor:
        judge = monitor.watcher.take_reading

        def keep(rollout: Rollout, *, told: bool) -> None:
            seen.append(rollout)
            judge(rollout, told=told)

        monitor.watcher.take_reading = keep  # type: ignore[method-assign]
        train(limit_ends=limit_ends)
    return monitor, seen


def test_a_healthy_one_is_read_and_not_accused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # how many are read on a slow machine is tested of the governor
    monkeypatch.setitem(governor.APART, governor.FIRST_READING, math.inf)
    monitor, seen = watch(tmp_path / "run", limit_ends=False)
    assert monitor.alerts == []
    assert [rollout.update for rollout in seen][:3] == [1, 2, 3]
    # the row with the largest gradient of all may be at the limit of a Huber loss, and has no target
    assert len(seen[0].targets.rewards) == 64 - 1  # type: ignore[union-attr]
    assert len(seen[2].targets.rewards) == 16 * 64 - 1  # type: ignore[union-attr]
    for rollout in (each for each in seen if each.update):  # the last one is about the whole run
        assert rollout.family == "off-policy"
        assert rollout.targets is not None
        assert rollout.targets.gamma == pytest.approx(0.97, abs=1e-4)
        assert rollout.targets.truncated is not None


def test_a_time_limit_stored_as_an_end_is_named(tmp_path: Path) -> None:
    monitor, _ = watch(tmp_path / "run", limit_ends=True)
    told = {finding.code: finding.message for finding in monitor.alerts}
    assert list(told) == ["RET202"]
    assert "truncation treated as termination" in told["RET202"]
