"""The house of docs/design.md, held: which room may import which, and what nobody may build."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from weaklink.rules._registry import SECTIONS, all_rules, rules_on
from weaklink.views.pages import filename

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "weaklink"
MODULES = sorted(PACKAGE.rglob("*.py"))
LONGEST_FILE = 350

# a room imports only from itself and from rooms further up
FLOORS = (
    ("_version", "loop", "errors"),
    ("finding", "stats", "reference", "outside"),
    ("evidence",),
    ("adapters", "rules"),
    ("diagnosis",),
    ("readers",),
    ("survey", "samples", "memory"),
    ("probes",),
    ("monitor",),
    ("case",),
    ("experiments",),
    ("views",),
    ("testing", "cli"),
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
THE_ROOT = ("__init__", "__main__")

FRAMEWORKS = frozenset((
    "accelerate", "aim", "comet_ml", "datasets", "flax", "gym", "gymnasium", "jax", "mlflow", "mujoco",
    "pandas", "pettingzoo", "pyarrow", "ray", "sb3_contrib", "sbx", "scipy", "skrl", "stable_baselines3", "tbparse",
    "tensorboard", "tensorboardX", "tensordict", "tensorflow", "tianshou", "torch", "torchrl", "trackio",
    "transformers", "trl", "verl", "wandb",
))  # fmt: skip
KNOWS_FRAMEWORKS = ("adapters", "readers")


def room_of(file: Path) -> str:
    first = file.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def imports_of(file: Path) -> list[str]:
    """Every module that a file names in an import, those inside functions and for types alone among them."""
    found: list[str] = []
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            found.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            found.append(node.module or "")
    return found


def each_module(*, but: tuple[str, ...] = ()) -> list:
    files = [file for file in MODULES if room_of(file) not in but]
    return [pytest.param(file, id=str(file.relative_to(PACKAGE))) for file in files]


def test_every_room_is_on_the_plan():
    unplanned = {room_of(file) for file in MODULES} - set(FLOOR_OF) - set(THE_ROOT)
    assert not unplanned


@pytest.mark.parametrize("file", each_module(but=THE_ROOT))
def test_imports_flow_one_way(file):
    here = room_of(file)
    for module in imports_of(file):
        if module.partition(".")[0] != "weaklink":
            continue
        assert module != "weaklink", "nothing imports the package root"
        there = module.split(".")[1]
        assert there == here or FLOOR_OF[there] < FLOOR_OF[here], f"{here} must not import {module}"


@pytest.mark.parametrize("file", each_module(but=KNOWS_FRAMEWORKS))
def test_only_adapters_and_readers_know_frameworks(file):
    assert not FRAMEWORKS & {module.partition(".")[0] for module in imports_of(file)}


@pytest.mark.parametrize("file", each_module())
def test_only_the_live_page_knows_its_server(file):
    if file.parent != PACKAGE / "views" / "live":
        assert not {"starlette", "uvicorn"} & {module.partition(".")[0] for module in imports_of(file)}


@pytest.mark.parametrize("file", each_module())
def test_no_drawer_for_everything_and_no_file_too_long(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE
    if file.parent.name != "dialects":  # there `common` is the dialect that frameworks have in common
        assert file.stem not in ("utils", "util", "common", "helpers", "misc")
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.ClassDef):
            assert not node.name.startswith("Base")
            assert not node.name.endswith("Manager")


@pytest.mark.parametrize("file", [param for param in each_module() if room_of(param.values[0]) == "views"])
def test_only_the_pages_of_the_rules_know_rules(file):
    if file.stem != "pages":
        assert not [module for module in imports_of(file) if module.startswith("weaklink.rules")]


def test_codes_are_unique_and_every_rule_is_found():
    files = [file for file in (PACKAGE / "rules").glob("*/*.py") if not file.stem.startswith("_")]
    codes = Counter(
        ast.literal_eval(node.args[0])
        for file in files
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "rule"
    )
    assert [code for code, times in codes.items() if times > 1] == []
    assert set(codes) == set(all_rules())
    assert len(files) == len(all_rules())


KINDS = sorted({kind for rule in all_rules().values() for kind in rule.reads}, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_rules_are_found_by_what_they_read(kind):
    assert rules_on(kind) == {code: rule for code, rule in all_rules().items() if kind in rule.reads}


@pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.code)
def test_a_rule_is_whole(rule):
    name = rule.judge.__name__
    file = Path(rule.judge.__code__.co_filename)
    assert file.stem == name, "file, function and rule have one name"
    assert tuple(rule.page) == SECTIONS
    assert all(rule.page.values())
    assert rule.summary.endswith(".")
    assert rule.fix, "'What to do' is a list"
    assert (ROOT / "docs" / "rules" / filename(rule)).is_file(), "run `make docs`"
    test = ROOT / "tests" / "rules" / file.parent.name / f"test_{name}.py"
    assert test.is_file()
    made = {node.name for node in tree_of(test).body if isinstance(node, ast.FunctionDef)}
    assert {"sick", "healthy"} <= made
