"""Updates of a PPO that hands nothing over, read from outside: what was read is compared with what it computed."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode

import weaklink
from tests.monitor.plain_ppo import TIME_LIMIT_AS_TERMINAL, Agent, Options, Truth, make_environments, train
from tests.sharing import share
from tests.sparing import spare
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.update import UpdateReading
from weaklink.base.finding import Finding
from weaklink.collect.monitor import governor
from weaklink.collect.monitor.assembly import assemble_rollout

torch.set_num_threads(1)

SAME, NEXT = AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP


@pytest.fixture(autouse=True)
def without_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the first checks may take depends on nobody else's use of the machine."""
    monkeypatch.setitem(governor.APART, governor.FIRST_READING, 600.0)


class ReadingMonitor(weaklink.Monitor):
    """Keeps what it reads beside judging it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, sinks=(), tracker="none")
        self.seen: list[tuple[UpdateReading, Rollout]] = []
        reader = self._reading._reader
        assert reader is not None
        self._judge_reading, reader._take = reader._take, self._keep_reading

    def _keep_reading(self, reading: UpdateReading) -> None:
        self.seen.append((reading, assemble_rollout(reading, self.step, self.config)))
        self._judge_reading(reading)


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
RIGHT = CASES | {"next step": Options(mode=NEXT)}


@dataclass
class Watched:
    """What a training that was watched leaves behind, and what torch draws next."""

    seen: list[tuple[UpdateReading, Rollout]]
    alerts: list[Finding]
    truth: Truth
    draws: np.ndarray


@share
def watch_right(name: str) -> Watched:
    with tempfile.TemporaryDirectory() as folder:
        monitor, truth = watch(Path(folder), RIGHT[name])
    return Watched(monitor.seen, list(monitor.alerts), truth, torch.rand(3).numpy())


@pytest.mark.parametrize("name", spare(CASES, lambda name: name in ("shared trunk", "continuous actions")))
def test_targets_advantages_and_discounts_are_those_of_the_trainer(name: str) -> None:
    watched = watch_right(name)
    truth = watched.truth
    assert watched.alerts == []
    assert len(watched.seen) == 3
    with_advantages = 0
    for (_, rollout), returns, advantages in zip(watched.seen, truth.returns, truth.advantages, strict=True):
        estimates = rollout.estimates
        assert estimates is not None
        times = len(estimates.rewards)
        assert times == CASES[name].horizon
        off = np.abs(estimates.returns - returns[-times:]) / returns.std()
        assert np.mean(off < 1e-3) >= 0.99
        assert estimates.gamma == pytest.approx(0.98, abs=0.005)
        assert estimates.lam == pytest.approx(0.9, abs=0.005)
        if estimates.advantages is not None:
            with_advantages += 1
            assert np.corrcoef(estimates.advantages.ravel(), advantages[-times:].ravel())[0, 1] > 0.999
    assert with_advantages >= 1


@pytest.mark.parametrize("twin", ["shared trunk", "next step"], ids=["same step", "next step"])
def test_a_time_limit_taken_for_an_end_is_named_and_its_healthy_twin_is_not(tmp_path: Path, twin: str) -> None:
    sick, _ = watch(tmp_path / "sick", replace(RIGHT[twin], fault=TIME_LIMIT_AS_TERMINAL))
    told = {finding.code: finding.message for finding in sick.alerts}
    assert {"RET201", "RET202"} & set(told)
    assert all("truncation treated as termination" in message for message in told.values())
    assert watch_right(twin).alerts == []


def assert_few(updates: list[int]) -> None:
    """The first three, at most three for ends that these did not have, the ninth and the twenty-seventh."""
    assert updates[:3] == [1, 2, 3]
    assert 9 in updates
    assert updates[-1] == 27
    assert len(updates) <= 8


def test_the_tape_rests_between_the_updates_that_are_read_and_has_all_rows_of_the_next(tmp_path: Path) -> None:
    with ReadingMonitor(tmp_path / "run") as monitor:
        reader = monitor._reading._reader
        assert reader is not None
        train(Options(mode=SAME, horizon=16, epochs=2, updates=10))
        assert reader.recorder.resting
        assert reader.recorder.read() == ()
    whole, _ = watch(tmp_path / "whole", Options(mode=SAME, horizon=16, epochs=2, updates=30))
    assert_few([reading.update for reading, _ in whole.seen])
    assert all((call.rows >= 0).all() for call in whole.seen[-1][0].calls)


def test_every_row_is_found_and_heads_have_the_names_of_their_modules() -> None:
    for reading, _ in watch_right("shared trunk").seen:
        # agents of other tests that are still alive are told apart by a number
        assert {re.sub(r"\(\d+\)", "", name) for name in reading.heads} == {"Agent.critic.2", "Agent.actor.2"}
        assert all((call.rows >= 0).all() for call in reading.calls)
        assert reading.steps == len({call.step for call in reading.calls}) == 16
        assert reading.left_out == ()


def test_a_parameter_of_no_module_is_read_with_its_gradient() -> None:
    reading = watch_right("continuous actions").seen[0][0]
    assert {re.sub(r"\(\d+\)", "", parameter.name) for parameter in reading.parameters} == {"Agent.log_std"}
    assert [parameter.step for parameter in reading.parameters] == list(range(reading.steps))
    assert all(np.abs(parameter.gradient).max() > 0.0 for parameter in reading.parameters)


def test_weights_are_the_same_to_the_last_bit_with_and_without_reading() -> None:
    alone = train(RIGHT["shared trunk"])
    draws = torch.rand(3).numpy()
    watched = watch_right("shared trunk")
    assert all(np.array_equal(one, other) for one, other in zip(alone.weights, watched.truth.weights, strict=True))
    assert np.array_equal(watched.draws, draws)


@pytest.mark.whole  # the tape that rests between them is seen in the same updates
def test_only_the_first_updates_are_read_and_then_few(tmp_path: Path) -> None:
    monitor, _ = watch(tmp_path, Options(mode=SAME, updates=31, horizon=16, epochs=2, minibatch=32))
    assert_few([reading.update for reading, _ in monitor.seen])


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


def learn_from_what_was_collected(updates: int) -> None:
    """A2C whose loss is made of the very answers that it acted by: four rows a call, sixteen calls an update."""
    torch.manual_seed(0)
    envs = make_environments(Options(mode=SAME))
    agent = Agent(4, 2, continuous=False, shared=True)
    optimizer = torch.optim.RMSprop(agent.parameters(), lr=1e-3)
    observation, _ = envs.reset(seed=0)
    for _ in range(updates):
        steps = []
        for _ in range(16):
            seen = torch.as_tensor(observation)
            policy, value = agent.policy(seen), agent.value(seen)
            action = policy.sample()
            observation, reward, terminated, truncated, _ = envs.step(action.numpy())
            over = torch.as_tensor(terminated | truncated)
            steps.append((policy.log_prob(action), value, policy.entropy(), torch.as_tensor(reward).float(), over))
        with torch.no_grad():
            ahead = agent.value(torch.as_tensor(observation))
        returns = []
        for *_, reward, over in reversed(steps):
            ahead = reward + 0.95 * ahead * ~over
            returns.insert(0, ahead)
        targets = torch.stack(returns)
        chances, values, entropy = (torch.stack([step[place] for step in steps]) for place in range(3))
        loss = -(chances * (targets - values).detach()).mean() + 0.5 * ((targets - values) ** 2).mean()
        optimizer.zero_grad()
        (loss - 0.01 * entropy.mean()).backward()
        optimizer.step()
    envs.close()


def test_a_loss_on_the_answers_of_collecting_is_read_as_one_minibatch(tmp_path: Path) -> None:
    with ReadingMonitor(tmp_path / "run") as monitor:
        learn_from_what_was_collected(3)
    for reading, rollout in monitor.seen:
        assert {len(call.rows) for call in reading.calls} == {64}
        assert rollout.recovered is not None
        (critic,) = rollout.recovered.values
        assert critic.weight == pytest.approx(1.0, rel=1e-3)
        assert (critic.gamma, critic.lam) == (pytest.approx(0.95, abs=1e-3), pytest.approx(1.0, abs=1e-3))
        assert rollout.recovered.policies[0].entropy_weight == pytest.approx(0.01, rel=0.01)
