"""The same line on every framework: real trainings, watched by a real monitor, end with the same weights."""

from __future__ import annotations

import pytest

import weaklink

torch = pytest.importorskip("torch")
torch.set_num_threads(1)
torch.backends.mkldnn.enabled = False


def same(one, other):
    first, second = one.state_dict(), other.state_dict()
    return set(first) == set(second) and all(torch.equal(first[name], second[name]) for name in first)


SB3 = {
    "PPO": ("CartPole-v1", 384, {"n_steps": 64, "batch_size": 32, "n_epochs": 2}),
    "SAC": ("Pendulum-v1", 160, {"learning_starts": 60, "batch_size": 32, "buffer_size": 500}),
    "DQN": ("CartPole-v1", 300, {"learning_starts": 60, "batch_size": 32, "buffer_size": 500}),
    "RecurrentPPO": ("CartPole-v1", 256, {"n_steps": 64, "batch_size": 32, "n_epochs": 2}),
}


@pytest.mark.parametrize(
    "algorithm", [pytest.param(name, marks=pytest.mark.whole if name == "RecurrentPPO" else ()) for name in SB3]
)
def test_stable_baselines(algorithm, tmp_path):
    library = pytest.importorskip("sb3_contrib" if algorithm == "RecurrentPPO" else "stable_baselines3")
    environment, steps, settings = SB3[algorithm]
    policy = "MlpLstmPolicy" if algorithm == "RecurrentPPO" else "MlpPolicy"

    def made():
        return getattr(library, algorithm)(policy, environment, seed=3, policy_kwargs={"net_arch": [16]}, **settings)

    alone, model = made().learn(steps), made()
    with weaklink.attach(model, tmp_path / "run") as monitor:
        model.learn(steps)
    assert same(alone.policy, model.policy)
    assert monitor.alerts == []
    assert weaklink.read(tmp_path / "run").framework == "sb3"


def test_trl(tmp_path):
    trl = pytest.importorskip("trl")
    from tests.tiny_language import language_trainer, offline, saved_model

    offline()
    model = saved_model(tmp_path / "model")
    settings = {"num_iterations": 2, "beta": 0.1, "max_steps": 4}
    alone = language_trainer(trl.GRPOTrainer, model, tmp_path / "alone", **settings)
    alone.train()
    trainer = language_trainer(trl.GRPOTrainer, model, tmp_path / "watched", **settings)
    with weaklink.attach(trainer, tmp_path / "run") as monitor:
        trainer.train()
    assert same(alone.model, trainer.model)
    assert monitor.alerts == []
    run = weaklink.read(tmp_path / "run")
    assert {"reward.mean", "policy.kl_reference", "optimizer.gradient_norm"} <= set(run.series)
    assert {"LLM203", "LLM204", "LLM205"} <= set(run.checked)
