"""What can be debugged, and what is said of what cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.case.projects import LEARNS, ROOM, written
from weaklink.base.errors import UsageError
from weaklink.verbs.debug.folder import CaseIndex
from weaklink.verbs.debug.request import TargetLook
from weaklink.verbs.debug.target import CaseTarget, load_target, parse_target


def test_file_module_and_name(tmp_path: Path) -> None:
    file = written(tmp_path, ROOM)
    whole, part = parse_target(file), parse_target(f"{file}:make_env")
    assert (whole.module, whole.attribute, whole.name) == (file, "", "project")
    assert (part.module, part.attribute, part.name) == (file, "make_env", "project-make_env")
    module = parse_target("package.module:Thing")
    assert (module.module, module.attribute, module.name) == ("package.module", "Thing", "package.module-Thing")


def test_words_for_other_commands(tmp_path: Path) -> None:
    file = written(tmp_path, ROOM)
    assert parse_target(file).part("train") == f"{file}:train"
    assert parse_target(f"{file}:Thing").part("train") == f"{file}:Thing.train"
    assert parse_target(environment="CartPole-v1").environment_word == "CartPole-v1"


def test_flags() -> None:
    target = parse_target(algorithm="sb3:PPO", environment="CartPole-v1", settings=["learning_rate=0.1", "n_steps=64"])
    assert target.name == "PPO-CartPole-v1"
    assert target.settings == {"learning_rate": 0.1, "n_steps": 64}


@pytest.mark.parametrize(
    ("word", "flags", "told"),
    [
        ("nowhere.py", {}, "There is no file nowhere.py"),
        ("not a target", {}, "'not a target' is no target"),
        ("", {}, "Nothing says which environment"),
        ("", {"algorithm": "PPO", "environment": "CartPole-v1"}, "--algo takes sb3:NAME"),
        ("", {"environment": "CartPole-v1", "settings": ["gamma=0.9"]}, "none is named"),
        (
            "",
            {"algorithm": "sb3:PPO", "environment": "CartPole-v1", "settings": ["gamma"]},
            "--set-up takes NAME=VALUE",
        ),
    ],
)
def test_wrong_words_say_what_is_wanted(word: str, flags: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        parse_target(word, **flags)  # type: ignore[arg-type]


def test_loading(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    content = f"{ROOM}{LEARNS}\nconfig = {{'gamma': 0.9}}\ncomponents = 'speed'\ngoal_metric = 'goals'\n"
    thing = load_target(parse_target(written(tmp_path, content, "project_with_all.py")))
    assert thing.make_env().reset(seed=1)[0].shape == (2,)
    assert (thing.steps, thing.config, thing.components, thing.goal_metric) == (
        4000,
        {"gamma": 0.9},
        ("speed",),
        "goals",
    )
    assert thing.make_model is None
    assert thing.train is not None


def test_an_id_is_an_environment(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium")
    thing = load_target(parse_target(written(tmp_path, "make_env = 'CartPole-v1'\n", "project_by_id.py")))
    assert thing.make_env().spec.id == "CartPole-v1"
    only = load_target(parse_target(environment="CartPole-v1"))
    assert only.make_env().spec.id == "CartPole-v1"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("def train(make_env, steps, seed): ...\n", "defines no make_env"),
        ("def make_model(env): ...\n", "defines no make_env"),
        ("make_env = 3\n", "make_env of .* is a function"),
        ("make_env = 'CartPole-v1'\nsteps = 'many'\n", "steps of .* is the number of environment steps"),
        ("make_env = 'CartPole-v1'\ntrain = 'PPO'\n", "train of .* is a function, not str"),
        ("make_env = 'CartPole-v1'\nconfig = [1]\n", "config of .* is a dictionary"),
    ],
)
def test_wrong_parts_say_what_is_wanted(tmp_path: Path, content: str, told: str) -> None:
    name = f"wrong_{abs(hash(content))}.py"
    with pytest.raises(UsageError, match=told):
        load_target(parse_target(written(tmp_path, content, name)))


def test_a_model_that_needs_no_environment_is_a_target(tmp_path: Path) -> None:
    thing = load_target(
        parse_target(written(tmp_path, "def make_model(size=3):\n    return size\n", "project_alone.py"))
    )
    assert not thing.has_environment
    assert thing.model() == 3
    with pytest.raises(UsageError, match=r"defines no make_env.*define make_env"):
        thing.make_env()


def test_a_case_without_an_environment_names_none_in_its_commands() -> None:
    target = CaseTarget(word="project.py", name="project", module="project.py")
    assert CaseIndex(target=target, look=TargetLook(parts=("make_model",))).environment_word == "ENV"
    assert CaseIndex(target=target, look=TargetLook(parts=("make_env",))).environment_word == "project.py:make_env"


def test_a_model_is_made_for_an_environment_where_there_is_one(tmp_path: Path) -> None:
    content = "make_env = 'CartPole-v1'\ndef make_model(env):\n    return env.spec.id\n"
    thing = load_target(parse_target(written(tmp_path, content, "project_both.py")))
    assert thing.has_environment
    assert thing.model() == "CartPole-v1"
