"""Examples run. Those that other tests run are named there; here are the rest."""

from __future__ import annotations

import importlib.util

import pytest

import weaklink
from tests.docs.sources import ROOT

EXAMPLES = ROOT / "examples"


def loaded(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_run_by_a_test():
    tests = [*(ROOT / "tests").rglob("*.py"), EXAMPLES / "test_ladder_ppo.py"]
    told = "\n".join(file.read_text(encoding="utf-8") for file in tests)
    assert [file.name for file in EXAMPLES.glob("*.py") if file.stem not in told] == []


@pytest.mark.slow
def test_the_buffer_that_forgets_ends_is_found_in_the_first_update(tmp_path):
    pytest.importorskip("stable_baselines3")
    example = loaded("watch_broken_sb3")
    monitor = example.train(example.parser.parse_args(["--steps", "1024", "--folder", str(tmp_path / "run"), "--stop"]))
    found = {finding.code: finding for finding in monitor.alerts}
    assert "done ignored" in found["RET201"].message
    assert found["RET201"].onset == 512


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_groups_of_the_broken_grpo_are_named():
    pytest.importorskip("transformers")
    factory = loaded("broken_grpo").factory
    diagnosis = weaklink.probe(factory, seeds=2, levels=1, only=("group-advantage",)).diagnosis
    assert diagnosis.first_break.code == "PRB206"
    assert "groups are formed across prompts" in diagnosis.findings[0].message


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("package", "example"), [("skrl", "probe_skrl"), ("tianshou", "probe_tianshou")])
def test_the_wrapped_trainer_of_another_package_answers_what_it_is_asked(package, example, monkeypatch, tmp_path):
    pytest.importorskip(package, reason=f"{package} is not installed: its example needs it")
    import gymnasium

    monkeypatch.chdir(tmp_path)
    make_env = lambda: gymnasium.make("weaklink.envs:weaklink/ObservedReward-v0")  # noqa: E731
    agent = loaded(example).train(make_env, 512, seed=0, gamma=0.9)
    observation, _ = make_env().reset(seed=0)
    assert make_env().action_space.contains(agent.act(observation))
    assert isinstance(float(agent.value(observation)), float)
    assert agent.gamma == 0.9
