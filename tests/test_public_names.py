from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import weaklink
from tests.cli.logs import healthy_log, sick_log
from weaklink.base.errors import UnknownRule


def test_a_path_or_a_run_can_be_diagnosed(tmp_path):
    log = sick_log(tmp_path)
    by_path, by_text = weaklink.diagnose(log), weaklink.diagnose(str(log))
    by_run = weaklink.diagnose(weaklink.read(log))
    assert by_path == by_text == by_run
    assert by_run.first_break is not None
    assert isinstance(by_run, weaklink.Diagnosis)


def test_settings_are_taken(tmp_path):
    log = sick_log(tmp_path)
    strict = weaklink.diagnose(log, select=["POL301"], thresholds={"POL301": {"lasting": 0.95}})
    assert strict.clean == ("POL301",)
    with pytest.raises(UnknownRule):
        weaklink.diagnose(healthy_log(tmp_path / "b"), ignore=["NOPE"])


def test_every_public_name_is_there():
    assert set(weaklink.__all__) <= set(dir(weaklink))
    for name in weaklink.__all__:
        assert getattr(weaklink, name) is not None
    with pytest.raises(AttributeError):
        weaklink.nothing_of_the_kind  # noqa: B018


FUNCTIONS = [name for name in weaklink.__all__ if inspect.isfunction(getattr(weaklink, name))]


def test_every_public_name_has_its_line_in_the_docs():
    page = (Path(__file__).parents[1] / "docs" / "python.md").read_text(encoding="utf-8")
    listed = {word for line in page.splitlines() if line.startswith("| `") for word in re.findall(r"`(\w+)", line)}
    assert set(weaklink.__all__) - {"__version__"} <= listed


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_argument_of_a_public_function_is_typed_and_named(name):
    parameters = inspect.signature(getattr(weaklink, name)).parameters.values()
    assert all(one.annotation not in (inspect.Parameter.empty, "Any", "typing.Any") for one in parameters)
    catching = [one.name for one in parameters if one.kind is inspect.Parameter.VAR_KEYWORD]
    assert catching == (["settings"] if name == "evaluation" else []), "only a protocol may have names of its own"
    documented = inspect.getdoc(getattr(weaklink, name))
    assert all(f"    {one.name}: " in documented for one in parameters)


def test_attach_takes_what_a_monitor_takes():
    attach = dict(inspect.signature(weaklink.attach).parameters)
    monitor = dict(inspect.signature(weaklink.Monitor).parameters)
    assert attach.keys() - {"trainer"} == monitor.keys()
    assert all(attach[name].default == one.default for name, one in monitor.items())


def test_defaults_are_those_of_the_plans():
    from weaklink.collect.probes.plan import ProbePlan
    from weaklink.collect.survey.plan import SurveyPlan
    from weaklink.verbs.confirm.plan import ExperimentPlan
    from weaklink.verbs.memory import MemoryPlan

    for name, plan in (
        ("preflight", SurveyPlan),
        ("probe", ProbePlan),
        ("confirm", ExperimentPlan),
        ("memory_estimate", MemoryPlan),
    ):
        parameters = inspect.signature(getattr(weaklink, name)).parameters
        usual = plan()
        for field in plan.__struct_fields__:
            if field in ("automaton", "cheat", "policy", "arguments"):
                continue
            assert parameters[field].default == getattr(usual, field), f"{name}({field}=)"
