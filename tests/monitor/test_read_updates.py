"""Updates of a PPO that hands nothing over, read from outside: what was read is compared with what it computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode

import weaklink
from tests.monitor.plain_ppo import TIME_LIMIT_AS_TERMINAL, Options, Truth, make_environments, train
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.assembly import assemble_rollout

torch.set_num_threads(1)

SAME, NEXT = AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP


class ReadingMonitor(weaklink.Monitor):
    """Keeps what it reads beside judging it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, sinks=(), tracker="none")
        self.seen: list[tuple[UpdateReading, Rollout]] = []

    def _take_reading(self, reading: UpdateReading) -> None:
        self.seen.append((reading, assemble_rollout(reading, self.step, self.config)))
        super()._take_reading(reading)


def watch(folder: Path, options: Options) -> tuple[ReadingMonitor, Truth]:
    with ReadingMonitor(folder / "run") as monitor:
        truth = train(options)
    return monitor, truth


CASES = {
    "own trunks": Options(mode=SAME),
    "shared trunk": Options(mode=SAME, shared=True),
    "clipped value loss": Options(mode=SAME, clip_values=True),
    "normalised observations": Options(mode=SAME, normalise=True),
    "three actions": Options(mode=SAME, environment="Acrobot-v1"),
    "continuous actions": Options(mode=SAME, environment="Pendulum-v1"),
}


@pytest.mark.parametrize("name", CASES)
def test_targets_advantages_and_discounts_are_those_of_the_trainer(tmp_path: Path, name: str) -> None:
    monitor, truth = watch(tmp_path, CASES[name])
    assert monitor.alerts == []
    assert len(monitor.seen) == 3
    with_advantages = 0
    for (_, rollout), returns, advantages in zip(monitor.seen, truth.returns, truth.advantages, strict=True):
        estimates = rollout.estimates
        assert estimates is not None
        times = len(estimates.rewards)
        assert times >= CASES[name].horizon - 1  # the first step is asked about before the update is listened to
        off = np.abs(estimates.returns - returns[-times:]) / returns.std()
        assert np.mean(off < 1e-3) >= 0.99
        assert estimates.gamma == pytest.approx(0.98, abs=0.005)
        assert estimates.lam == pytest.approx(0.9, abs=0.005)
        if estimates.advantages is not None:
            with_advantages += 1
            assert np.corrcoef(estimates.advantages.ravel(), advantages[-times:].ravel())[0, 1] > 0.999
    assert with_advantages >= 1


@pytest.mark.parametrize("mode", [SAME, NEXT], ids=["same step", "next step"])
def test_a_time_limit_taken_for_an_end_is_named_and_its_healthy_twin_is_not(
    tmp_path: Path, mode: AutoresetMode
) -> None:
    sick, _ = watch(tmp_path / "sick", Options(mode=mode, fault=TIME_LIMIT_AS_TERMINAL))
    told = {finding.code: finding.message for finding in sick.alerts}
    assert {"RET201", "RET202"} & set(told)
    assert all("truncation treated as termination" in message for message in told.values())
    healthy, _ = watch(tmp_path / "healthy", Options(mode=mode))
    assert healthy.alerts == []


def test_every_row_is_found_and_heads_have_the_names_of_their_modules(tmp_path: Path) -> None:
    monitor, _ = watch(tmp_path, Options(mode=SAME, shared=True))
    for reading, _ in monitor.seen:
        assert set(reading.heads) == {"Agent.critic.2", "Agent.actor.2"}
        assert all((call.rows >= 0).all() for call in reading.calls)
        assert reading.steps == len({call.step for call in reading.calls}) == 16
        assert reading.left_out == ()


def test_a_parameter_of_no_module_is_read_with_its_gradient(tmp_path: Path) -> None:
    monitor, _ = watch(tmp_path, Options(mode=SAME, environment="Pendulum-v1"))
    reading = monitor.seen[0][0]
    assert {parameter.name for parameter in reading.parameters} == {"Agent.log_std"}
    assert [parameter.step for parameter in reading.parameters] == list(range(reading.steps))
    assert all(np.abs(parameter.gradient).max() > 0.0 for parameter in reading.parameters)


def test_weights_are_the_same_to_the_last_bit_with_and_without_reading(tmp_path: Path) -> None:
    options = Options(mode=SAME, shared=True)
    alone = train(options)
    draws = torch.rand(3)
    _, watched = watch(tmp_path, options)
    assert all(np.array_equal(one, other) for one, other in zip(alone.weights, watched.weights, strict=True))
    assert torch.equal(torch.rand(3), draws)


def test_only_the_first_updates_are_read_and_then_few(tmp_path: Path) -> None:
    monitor, _ = watch(tmp_path, Options(mode=SAME, updates=31, horizon=16, epochs=2, minibatch=32))
    assert [reading.update for reading, _ in monitor.seen] == [1, 2, 3, 30]


def test_nothing_stays_behind(tmp_path: Path) -> None:
    import gymnasium
    from torch.nn.modules import module as torch_module

    before = gymnasium.Wrapper.step, gymnasium.vector.SyncVectorEnv.step, gymnasium.Env.__init_subclass__.__func__
    assert not torch_module._has_any_global_hook()
    monitor, _ = watch(tmp_path, Options(updates=1))
    assert len(monitor.seen) == 1
    after = gymnasium.Wrapper.step, gymnasium.vector.SyncVectorEnv.step, gymnasium.Env.__init_subclass__.__func__
    assert before == after
    assert not torch_module._has_any_global_hook()


def test_environments_made_before_the_monitor_are_heard(tmp_path: Path) -> None:
    options = Options(mode=SAME)
    envs = make_environments(options)
    with ReadingMonitor(tmp_path / "run") as monitor:
        assert monitor.wrap(envs) is envs
        train(options, envs)
    assert [rollout.estimates is not None for _, rollout in monitor.seen] == [True] * 3
