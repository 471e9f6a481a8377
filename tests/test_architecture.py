"""The house of docs/design.md, held: which room may import which, and what nobody may build."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.rules.index import write_index
from weaklink.base.loop import FAMILIES
from weaklink.judge.rules._registry import (
    HERE,
    INDEX,
    SECTIONS,
    list_places,
    load_rules,
    load_rules_declaring,
    load_rules_on,
    read_files,
)

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "weaklink"
MODULES = sorted(PACKAGE.rglob("*.py"))
LONGEST_FILE = 350

# a room imports only from itself and from rooms further up; rooms of one line do not know each other
FLOORS = (
    ("base.backports", "base.patterns"),
    ("_version", "base.loop", "base.errors", "base.privacy", "base.viewing", "base.waiting"),
    ("base.finding", "base.limits", "base.proving", "base.stats", "base.reference", "base.outside"),
    ("base.evidence",),
    ("adapters",),
    ("collect.readers", "judge.rules"),
    ("collect.survey", "collect.samples", "judge.diagnosis"),
    ("collect.monitor",),
    ("collect.probes",),
    ("verbs",),
    ("_api", "show"),
    ("testing", "cli", "envs"),
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
WINGS = {room.partition(".")[0] for room in FLOOR_OF if "." in room}
THE_ROOT = ("__init__", "__main__")

FRAMEWORKS = frozenset((
    "accelerate", "aim", "comet_ml", "datasets", "duckdb", "flax", "gym", "gymnasium", "jax", "mlflow", "mujoco",
    "pandas", "pettingzoo", "pyarrow", "ray", "sb3_contrib", "sbx", "scipy", "skrl", "stable_baselines3", "tbparse",
    "tensorboard", "tensorboardX", "tensordict", "tensorflow", "tianshou", "torch", "torchrl", "trackio",
    "transformers", "trl", "verl", "wandb",
))  # fmt: skip
KNOWS_FRAMEWORKS = ("adapters", "collect.readers")
SERVERS = {"starlette", "uvicorn"}
CODE = rf"({'|'.join(FAMILIES)})\d{{3}}"
DRAWERS = ("utils", "util", "common", "helpers", "misc")


def room_of(module: str) -> str:
    """`base.stats` of `weaklink.base.stats.level`, `show` of `weaklink.show.text`."""
    parts = module.split(".")[1:]
    return ".".join(parts[: 2 if parts[0] in WINGS else 1])


def module_of(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


KNOWN = {module_of(file) for file in MODULES}


class FileParts(NamedTuple):
    """What is asked of a file; its whole tree is not kept, which every collection of garbage would go through again."""

    imports: tuple[str, ...]
    classes: tuple[str, ...]
    codes: tuple[str, ...]
    """Codes of rules that stand in it, each with its line."""
    rules: tuple[str, ...]
    """The codes of the rules that it declares."""


def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def parts_of(file: Path) -> FileParts:
    nodes = list(ast.walk(tree_of(file)))
    values = [(node.lineno, str(node.value)) for node in nodes if isinstance(node, ast.Constant)]
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return FileParts(
        tuple(name for node in nodes for name in imported_by(node, file)),
        tuple(node.name for node in nodes if isinstance(node, ast.ClassDef)),
        tuple(f"{line} {value}" for line, value in values if re.fullmatch(CODE, value)),
        tuple(ast.literal_eval(call.args[0]) for call in calls if call.func.id == "rule"),
    )


def imported_by(node: ast.AST, file: Path) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"{file}: imports are absolute"
        return list({f"{node.module}.{alias.name}" for alias in node.names} & KNOWN) or [node.module or ""]
    if isinstance(node, ast.Constant) and re.fullmatch(r"weaklink(\.\w+)+(:\w+)?", str(node.value)):
        return list({str(node.value).partition(":")[0]} & KNOWN)
    return []


def imports_of(file: Path) -> tuple[str, ...]:
    """Every module that a file imports: at its top, inside functions, for types alone, and by a string."""
    return parts_of(file).imports


def the_rest(files: list[Path], *, but: tuple[str, ...]) -> list[Path]:
    return [file for file in files if room_of(module_of(file)) not in but]


def test_every_room_is_on_the_plan():
    rooms = {room_of(module_of(file)) for file in MODULES}
    assert rooms - set(FLOOR_OF) - set(THE_ROOT) - WINGS == set()


def test_imports_flow_one_way():
    wrong = [
        f"{here} must not import {module} ({file.relative_to(PACKAGE)})"
        for file in the_rest(MODULES, but=THE_ROOT)
        for module in imports_of(file)
        if module.partition(".")[0] == "weaklink"
        for here, there in [(room_of(module_of(file)), room_of(module))]
        if there != here and FLOOR_OF.get(there, len(FLOORS)) >= FLOOR_OF[here]
    ]
    assert wrong == []


def test_no_imports_go_round_in_a_circle():
    """Not even through imports inside functions: a file is understood before the files that need it."""
    needs = {module_of(file): set(imports_of(file)) & KNOWN - {module_of(file)} for file in MODULES}
    while outside := _in_no_circle(needs):
        needs = {module: others - outside for module, others in needs.items() if module not in outside}
    assert needs == {}


def _in_no_circle(needs: dict[str, set[str]]) -> set[str]:
    """The modules that need none of the others, and those that none of the others needs."""
    needed = set().union(*needs.values())
    return {module for module, others in needs.items() if not others or module not in needed}


def test_collecting_knows_no_judging_and_judging_no_collecting():
    wings = {"collect": "judge", "judge": "collect"}
    wrong = [
        f"{file.relative_to(PACKAGE)} imports {module}"
        for file in MODULES
        for module in imports_of(file)
        if wings.get(file.relative_to(PACKAGE).parts[0]) == (*module.split("."), "")[1]
    ]
    assert wrong == []


def test_only_adapters_and_readers_know_frameworks():
    known = {
        str(file.relative_to(PACKAGE)): FRAMEWORKS & {module.partition(".")[0] for module in imports_of(file)}
        for file in the_rest(MODULES, but=KNOWS_FRAMEWORKS)
    }
    assert {file: names for file, names in known.items() if names} == {}


def test_only_the_live_page_knows_its_server():
    files = [file for file in MODULES if file.parent != PACKAGE / "show" / "live"]
    assert [file for file in files if SERVERS & {module.partition(".")[0] for module in imports_of(file)}] == []


def test_only_the_server_for_agents_knows_its_protocol():
    files = [file for file in MODULES if file.parent != PACKAGE / "cli" / "mcp_server"]
    known = {"mcp", "mcp_types", "pydantic"}
    assert [file for file in files if known & {module.partition(".")[0] for module in imports_of(file)}] == []


def test_no_drawer_for_everything_and_no_file_too_long():
    assert [file for file in MODULES if len(file.read_text(encoding="utf-8").splitlines()) > LONGEST_FILE] == []
    assert [file for file in MODULES if file.stem in DRAWERS] == []
    classes = [name for file in MODULES for name in parts_of(file).classes]
    assert [name for name in classes if name.startswith("Base") or name.endswith("Manager")] == []


def test_only_the_pages_of_the_rules_know_rules():
    files = [file for file in (PACKAGE / "show").rglob("*.py") if file.stem != "pages"]
    assert [file for file in files for module in imports_of(file) if module.startswith("weaklink.judge.rules")] == []


def test_codes_are_unique_and_every_rule_is_found():
    files = [file for file in (PACKAGE / "judge" / "rules").glob("*/*.py") if not file.stem.startswith("_")]
    codes = Counter(code for file in files for code in parts_of(file).rules)
    assert [code for code, times in codes.items() if times > 1] == []
    assert set(codes) == set(load_rules())
    assert len(files) == len(load_rules())


def test_rules_are_found_by_what_they_read():
    for kind in {kind for rule in load_rules().values() for kind in rule.reads}:
        assert load_rules_on(kind) == {code: rule for code, rule in load_rules().items() if kind in rule.reads}


def test_the_index_of_the_rules_says_what_their_decorators_declare():
    read = (HERE / INDEX).read_text(encoding="utf-8")
    assert read == write_index(read_files(list_places())), "a decorator was changed: `make index` writes it anew"


def test_what_a_decorator_declares_is_known_before_its_file_is_loaded():
    for argument in ("symptoms", "checks", "experiment", "alert", "marks"):
        declaring = [code for code, rule in load_rules().items() if getattr(rule, argument)]
        assert list(load_rules_declaring(argument)) == declaring != []


def test_only_rules_name_codes():
    elsewhere = [file for file in MODULES if room_of(module_of(file)) != "judge.rules"]
    assert [f"{file.relative_to(PACKAGE)}:{code}" for file in elsewhere for code in parts_of(file).codes] == []


def test_a_rule_is_whole():
    for rule in load_rules().values():
        name = rule.judge.__name__
        file = Path(rule.judge.__code__.co_filename)
        assert file.stem == name, f"{rule.code}: file, function and rule have one name"
        assert tuple(rule.page) == SECTIONS, rule.code
        assert all(rule.page.values()), rule.code
        assert rule.summary.endswith("."), rule.code
        assert rule.fix, f"{rule.code}: 'What to do' is a list"
        test = ROOT / "tests" / "rules" / file.parent.name / f"test_{name}.py"
        assert test.is_file(), f"{rule.code} has no test"
        made = {node.name for node in tree_of(test).body if isinstance(node, ast.FunctionDef)}
        assert {"sick", "healthy"} <= made, f"{rule.code}: its test shows what it must and must not fire on"
