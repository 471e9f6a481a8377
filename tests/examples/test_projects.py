"""The bundled projects work as their users would say they do, and `weaklink debug` tells the quickest of them apart."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys

import pytest

pytest.importorskip("torch")
pytest.importorskip("gymnasium")
pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

import torch

from tests.examples.expected import EXPECTED, PROJECTS
from weaklink.base.loop import Link

pytestmark = pytest.mark.skipif(importlib.util.find_spec("trl") is None, reason="needs trl")

FEW, STEPS = 64, 256
QUICKEST = ("elevator",)  # `make bench-debug` has them all
LANGUAGE = ("grpo_words", "grpo_digits")


def project(name):
    made = importlib.util.spec_from_file_location(f"project_{name}", PROJECTS / f"{name}.py")
    module = importlib.util.module_from_spec(made)
    made.loader.exec_module(module)
    return module


def text_of(name):
    return (PROJECTS / f"{name}.py").read_text(encoding="utf-8")


def weights(model):
    return torch.cat([each.detach().flatten() for each in model.policy.parameters()])


def shortened(model):
    """The same model, with an update after a few steps."""
    if hasattr(model, "n_epochs"):
        model.n_epochs = 1
    if hasattr(model, "rollout_buffer"):
        model.n_steps = model.rollout_buffer.buffer_size = FEW
        model.rollout_buffer.reset()
    else:
        model.learning_starts = FEW // 2
    return model


def test_every_project_is_expected_to_be_something():
    assert sorted(EXPECTED) == sorted(file.stem for file in PROJECTS.glob("*.py"))


def test_every_link_has_a_project_and_three_are_healthy():
    broken = [one for one in EXPECTED.values() if not one.healthy]
    assert {one.links[0] for one in broken} == {link.value for link in Link}
    assert len(broken) >= 14
    assert len(EXPECTED) - len(broken) >= 3


@pytest.mark.parametrize("name", EXPECTED)
def test_its_text_says_whether_something_is_wrong(name):
    text = ast.get_docstring(ast.parse(text_of(name)))
    assert ("Nothing is wrong" if EXPECTED[name].healthy else "What is wrong: ") in text


@pytest.mark.parametrize("name", [name for name in EXPECTED if name not in LANGUAGE])
def test_its_environment_plays(name):
    env = project(name).make_env()
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    env.action_space.seed(0)
    for _ in range(5):
        masked = getattr(env, "action_masks", None)
        action = env.action_space.sample(None if masked is None else masked().astype("int8"))
        observation, reward, terminated, truncated, _ = env.step(action)
        assert isinstance(float(reward), float)
        if terminated or truncated:
            env.reset()


@pytest.mark.parametrize("name", [name for name in EXPECTED if "make_model(env)" in text_of(name)])
def test_its_model_makes_an_update(name):
    module = project(name)
    model = shortened(module.make_model(module.make_env()))
    model.set_random_seed(0)
    before = weights(model)
    if "ENV111" in EXPECTED[name].codes:
        with pytest.raises(IndexError):
            model.learn(10 * FEW)
        return
    model.learn(FEW)
    moved = not torch.equal(before, weights(model))
    assert moved == ("OPT111" not in EXPECTED[name].codes)


@pytest.mark.parametrize("name", [name for name in EXPECTED if "def train(" in text_of(name)])
def test_its_trainer_makes_an_agent(name):
    module = project(name)
    agent = module.train(module.make_env, STEPS, 0)
    env = module.make_env()
    assert env.action_space.contains(agent.act(env.reset(seed=0)[0]))


@pytest.mark.whole
@pytest.mark.parametrize("name", QUICKEST)
def test_the_link_that_broke_is_told(name, tmp_path):
    told, code = debugged(name, tmp_path, "--seconds", "150")
    expected = EXPECTED[name]
    assert code == 1
    assert told["first_break"]["code"] in expected.codes
    assert told["first_break"]["link"] in expected.links
    assert told["stage_of_break"] in expected.stages


@pytest.mark.whole
def test_a_language_model_needs_no_environment(tmp_path):
    told, _ = debugged("grpo_words", tmp_path, "--seconds", "150", "--skip", "probe")
    stages = {one["stage"]: one["state"] for one in told["stages"]}
    assert stages["preflight"] == "skipped"
    assert stages["watch"] == "clean"
    assert told["first_break"]["code"] in EXPECTED["grpo_words"].codes
    assert told["first_break"]["link"] in EXPECTED["grpo_words"].links


@pytest.mark.whole
def test_a_healthy_project_is_told_to_be_healthy(tmp_path):
    told, code = debugged("cartpole", tmp_path, "--seconds", "150", "--steps", "8000", "--skip", "probe")
    assert told["verdict"] == "healthy", (told["why"], [one["code"] for one in told["findings"]])
    assert code == 0


def debugged(name, folder, *options):
    command = [sys.executable, "-m", "weaklink", "debug", str(PROJECTS / f"{name}.py"), "--format", "json"]
    done = subprocess.run([*command, *options], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.returncode
