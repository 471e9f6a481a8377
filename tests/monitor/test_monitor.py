"""The monitor as a user has it: one object, real trainings, and everything that may go wrong around them."""

from __future__ import annotations

import json
import math
import os
import threading

import numpy as np
import pytest

import weaklink
from tests.patience import PATIENCE, no_hang, wait_until
from weaklink.base.errors import UsageError
from weaklink.base.evidence.store import read_lines
from weaklink.base.finding import Level
from weaklink.collect.monitor import rows
from weaklink.judge.rules._registry import load_rules

torch = pytest.importorskip("torch")
sb3 = pytest.importorskip("stable_baselines3")
torch.set_num_threads(1)
torch.backends.mkldnn.enabled = False


def small_ppo(**options):
    return sb3.PPO("MlpPolicy", "CartPole-v1", n_steps=128, batch_size=64, n_epochs=2, seed=0, **options)


def shifted(model):
    """The same model, whose advantages are made with the ends of episodes one step late."""
    buffer = type(model.rollout_buffer)

    class Shifted(buffer):
        def compute_returns_and_advantage(self, last_values, dones):
            starts = self.episode_starts.copy()
            self.episode_starts[1:] = starts[:-1]
            super().compute_returns_and_advantage(last_values, dones)
            self.episode_starts[:] = starts

    model.rollout_buffer.__class__ = Shifted
    return model


def weights(model):
    return [parameter.detach().clone() for parameter in model.policy.parameters()]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"on_error": "halt"}, "on_error is 'continue' or 'stop'"),
        ({"budget": 0}, "budget is a share"),
        ({"sinks": ["pigeon"]}, "pigeon"),
        ({"tracker": "notebook"}, "notebook"),
        ({"select": ["NOPE"]}, "NOPE"),
    ],
)
def test_what_makes_no_sense_is_said_at_once(tmp_path, options, words):
    with pytest.raises(UsageError, match=words):
        weaklink.Monitor(tmp_path / "run", **options)


def test_a_trainer_of_nobody_is_told_what_to_do(tmp_path):
    with pytest.raises(UsageError, match=r"weaklink\.Monitor"):
        weaklink.attach(object(), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_one_line_gives_a_recording_that_can_be_diagnosed(tmp_path):
    model = small_ppo()
    monitor = weaklink.attach(model, tmp_path / "run")
    model.learn(512)
    monitor.close()
    assert monitor.alerts == []
    run = weaklink.read(tmp_path / "run")
    told = {
        "policy.kl",
        "value.explained_variance",
        "returns.advantage_abs_max",
        "optimizer.gradient_norm",
        "reward.mean",
    }
    assert told <= set(run.series)
    assert run.config.values["gamma"] == 0.99
    assert {"RET201", "RET202", "POL201", "DAT201", "OPT201"} <= set(weaklink.diagnose(run).clean)
    kinds = {next(iter(line)) for line in read_lines(tmp_path / "run")}
    assert {"histogram", "trace", "checked", "context"} <= kinds


def test_weights_are_the_same_with_and_without(tmp_path):
    alone = small_ppo().learn(512)
    model = small_ppo()
    with weaklink.attach(model, tmp_path / "run", on_error="stop"):
        model.learn(512)
    assert all(torch.equal(one, other) for one, other in zip(weights(alone), weights(model), strict=True))


def test_a_proof_stops_the_training_and_its_state_is_kept(tmp_path, capfd):
    model = shifted(small_ppo())
    monitor = weaklink.attach(model, tmp_path / "run", on_error="stop")
    model.learn(100_000)
    monitor.close()
    assert model.num_timesteps < 1000
    assert [finding.code for finding in monitor.alerts][:1] == ["RET201"]
    kept = json.loads((tmp_path / "run" / "checkpoints.json").read_text())
    saved = tmp_path / "run" / kept["failed"]["path"]
    assert "RET201" in kept["failed"]["reason"]
    assert saved.exists()
    assert "RET201" in capfd.readouterr().err
    assert weaklink.diagnose(tmp_path / "run").first_break.code == "RET201"


def test_without_being_asked_to_it_only_tells(tmp_path):
    model = shifted(small_ppo())
    told = []
    with weaklink.attach(model, tmp_path / "run", sinks=[told.append]) as monitor:
        model.learn(512)
    assert model.num_timesteps == 512
    assert [finding.code for finding in told] == [finding.code for finding in monitor.alerts]
    assert not monitor.stop


class Broken:
    """A sink and a tracker that raise whatever they are told."""

    def __call__(self, finding):
        raise RuntimeError("no line")

    def numbers(self, step, numbers):
        raise RuntimeError("no line")

    alert = numbers
    close = numbers


def test_whatever_fails_beside_a_training_does_not_end_it(tmp_path, monkeypatch, capfd):
    rule = load_rules()["RET202"]
    monkeypatch.setattr(type(rule), "ask", _raising(type(rule).ask, rule))
    model = shifted(small_ppo())
    monitor = weaklink.attach(model, tmp_path / "run", sinks=[Broken()], tracker=Broken())
    model.learn(512)
    monitor.close()
    assert model.num_timesteps == 512
    said = [line for line in capfd.readouterr().err.splitlines() if line.startswith("weaklink")]
    assert sum("RET202" in line for line in said) == 1
    assert 1 <= len(said) <= 4


def _raising(ask, ill):
    def asked(self, *inputs):
        if self is ill:
            raise RuntimeError("a rule with a fault")
        return ask(self, *inputs)

    return asked


def test_a_folder_that_goes_away_does_not_end_a_training(tmp_path):
    import shutil

    model = small_ppo()
    monitor = weaklink.attach(model, tmp_path / "deep" / "run")
    shutil.rmtree(tmp_path / "deep")
    model.learn(256)
    monitor.close()
    assert model.num_timesteps == 256


def test_a_sink_that_hangs_does_not_hold_a_training_up(tmp_path):
    model, release, told, woke = shifted(small_ppo()), threading.Event(), threading.Event(), []

    def hang(finding):
        told.set()
        woke.append(release.wait(PATIENCE))

    with weaklink.attach(model, tmp_path / "run", sinks=[hang]):
        model.learn(512)
        assert told.wait(PATIENCE)
        assert woke == [], "the training was at its end before"
        release.set()


def test_a_fork_is_deaf(tmp_path):
    with weaklink.Monitor(tmp_path / "run") as monitor:
        monitor.update(1, kl=0.01)
        child = os.fork()
        if not child:
            monitor.update(2, kl=0.5)
            monitor.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        monitor.update(3, kl=0.02)
    assert weaklink.read(tmp_path / "run")["policy.kl"].values.tolist() == [0.01, 0.02]


def test_numbers_that_are_none_are_told_at_once(tmp_path):
    told = []
    with weaklink.Monitor(tmp_path / "run", sinks=[told.append]) as monitor:
        for step in range(12):
            monitor.update(step, value_loss=float("nan") if step > 8 else 1.0)
        wait_until(lambda: told)
    assert [(finding.code, finding.level) for finding in told] == [("OPT300", Level.ERROR)]


def test_the_guardrail_answers_from_the_latest_numbers(tmp_path):
    with weaklink.Monitor(tmp_path / "run", config={"target_kl": 0.01}) as monitor:
        monitor.update(1, kl=0.005, clip_fraction=0.1)
        assert monitor.guardrail().action == "continue"
        monitor.update(2, kl=0.05)
        assert monitor.guardrail().action == "stop update"
        assert monitor.guardrail(target_kl=1.0).action == "continue"


def test_episodes_and_evaluations_become_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(rows, "EPISODES_EVERY", math.inf)
    with weaklink.Monitor(tmp_path / "run") as monitor:
        monitor.episode(10, 5.0, 7, {"speed": 2.0})
        monitor.episode(20, 7.0, 9, {"speed": 4.0})
        monitor.evaluate(20, [1.0, 3.0], [4, 6])
    run = weaklink.read(tmp_path / "run")
    assert run["reward.episode_return"].values.tolist() == [6.0]
    assert run["reward.component.speed"].values.tolist() == [3.0]
    assert run["evaluation.return"].values.tolist() == [2.0]


def test_a_critic_that_cannot_fit_is_found_on_demand(tmp_path):
    model = small_ppo(gamma=0.99)
    with weaklink.attach(model, tmp_path / "run") as monitor:
        model.learn(256)
        fit = monitor.fit_critic()
        assert fit is not None
        assert fit.after < fit.before
        assert monitor.alerts == []


def test_arrays_are_enough_and_torch_is_not_needed(tmp_path):
    rng = np.random.default_rng(0)
    rewards, values = rng.normal(size=(32, 4)), rng.normal(size=(32, 4))
    dones = rng.random((32, 4)) < 0.1
    from weaklink.base.reference.advantages import gae

    right = gae(rewards, values, dones, np.zeros_like(dones), np.zeros(4), 0.99, 0.95)
    known = {
        "rewards": rewards,
        "values": values,
        "dones": dones,
        "last_value": np.zeros(4),
        "gamma": 0.99,
        "lam": 0.95,
    }
    with weaklink.Monitor(tmp_path / "run") as monitor:
        monitor.rollout(128, advantages=right, returns=right + values, **known)
        monitor.update(128, kl=0.01)
        assert monitor.alerts == []
        monitor.rollout(256, advantages=-right, returns=right + values, **known)
        assert [finding.code for finding in monitor.alerts] == ["RET201"]


def test_a_loop_that_updates_all_the_time_does_not_fill_the_disk(tmp_path):
    with weaklink.Monitor(tmp_path / "run") as monitor:
        for step in range(4000):
            monitor.update(step, q_loss=1.0)
    assert 2000 <= len(weaklink.read(tmp_path / "run")["value.q_loss"]) < 3000


def test_a_configuration_that_holds_itself_is_recorded_and_ends(tmp_path):
    config: dict = {"lr": 0.1, "inner": {"gamma": 0.9}}
    config["inner"]["outer"] = config["list"] = [config]
    said: list[str] = []
    with no_hang():
        monitor = weaklink.Monitor(tmp_path / "run", config=config, sinks=(said.append,), tracker="none")
        monitor.update(1, {"loss": 1.0})
        monitor.close()
    assert weaklink.read(tmp_path / "run").config.number("learning_rate") == 0.1
    assert weaklink.read(tmp_path / "run").config.number("gamma") == 0.9
