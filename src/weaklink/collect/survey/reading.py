"""The code of an environment and of its wrappers, read: what is worked out and lost, and angles in the wrong unit."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weaklink.base.evidence.cost_words import COST
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.written import (
    ALIASED,
    CONVERTED,
    CUT_END,
    DEGREES,
    LATCHED,
    OVERWRITTEN,
    PAID_FOR,
    UNREAD,
    UNUSED,
    CodeFlaw,
)
from weaklink.base.outside.own_code import is_own
from weaklink.collect.survey.aliases import find_aliases
from weaklink.collect.survey.call_paths import list_reached
from weaklink.collect.survey.cut_ends import find_cut_ends
from weaklink.collect.survey.degrees import find_converted_again, find_degrees
from weaklink.collect.survey.elements import find_written_twice
from weaklink.collect.survey.latches import find_latched_flags
from weaklink.collect.survey.liveness import find_lost_values, read_names
from weaklink.collect.survey.reward_words import RewardReader

LONGEST = 400_000
"""Bytes of a file that is read."""

KEPT = 8
"""Files whose trees are kept: those of one environment and its wrappers."""

PAID = re.compile(r"(^|_)(reward|bonus|prize|payoff|profit|income|shaping)(s|es)?$", re.IGNORECASE)
"""What belongs into a reward by its name."""

SETTING = re.compile(
    r"(^|_)(cost|penalty|fee|fine|toll|bonus|reward|prize|limit|threshold|tolerance|mark|capacity|horizon|patience)(s|es)?$"
    r"|^(max|min|lowest|highest|least|most)_",
    re.IGNORECASE,
)
"""What decides something by its name: a number that is declared as such and never read decides nothing."""

DRAWN = re.compile(r"^_?(render|draw|close|show|plot|animate|__repr__|__str__)")
"""Methods that no training calls."""


RETURNED = ("observation", "reward", "", "", "")
"""What a step returns, part by part."""


class Method(NamedTuple):
    """A method that is in force for a class: its definition in the file of the class that gives it."""

    name: str
    node: ast.FunctionDef
    file: str


def read_code(environment: Environment) -> dict[str, Any]:
    """The flaws in the code of the user's own classes; nothing where none can be read."""
    found: list[CodeFlaw] = []
    read = False
    for each in _list_layers(environment):
        methods = list_methods(type(each))
        read = read or bool(methods)
        found += [*_find_flaws(type(each), methods), *_find_paid_words(each, methods), *_find_kept(each, methods)]
    return {"code": tuple({(one.where, one.name): one for one in found}.values())} if read else {}


def list_methods(owner: type) -> list[Method]:
    """The methods of a class that are in force and the user's own, and those that they call by `super()`."""
    found: dict[str, Method] = {}
    called: set[str] = set()
    for each in owner.__mro__:
        file = _find_file(each)
        definition = _parse_class(file, each.__qualname__) if file else None
        for node in definition.body if definition is not None else []:
            if not isinstance(node, ast.FunctionDef) or DRAWN.match(node.name):
                continue
            if node.name not in found or node.name in called:
                found[f"{node.name}@{each.__qualname__}" if node.name in found else node.name] = Method(
                    node.name, node, file
                )
        called = {name for method in found.values() for name in _list_super_calls(method.node)}
    return list(found.values())


def _list_layers(environment: Environment) -> Iterator[object]:
    """The environment, and every wrapper around it."""
    layer = getattr(environment, "env", None)
    inner = environment.inner
    while layer is not None and layer is not inner:
        yield layer
        layer = getattr(layer, "env", None)
    yield inner


def _find_flaws(owner: type, methods: list[Method]) -> Iterator[CodeFlaw]:
    for method in methods:
        if method.name != "__init__":  # what is worked out there and left is of no step
            yield from _find_lost(method)
        for cut in find_cut_ends(method.node) if method.name == "step" else ():
            yield _make_flaw(CUT_END, cut.name, method, cut.value, part="end")
        for twice in find_written_twice(method.node):
            yield _make_flaw(OVERWRITTEN, twice.name, method, twice.first, twice.second.lineno)
    for name, wave in find_degrees([method.node for method in methods]):
        method = _find_method(methods, wave)
        asked = method.name == "step" and not name.startswith("self.")
        yield _make_flaw(DEGREES, name, method, wave, part="action" if asked else "")
    for name, call in find_converted_again([method.node for method in methods]):
        yield _make_flaw(CONVERTED, name, _find_method(methods, call), call)
    yield from _find_unread(owner, methods)


def _find_kept(owner: object, methods: list[Method]) -> Iterator[CodeFlaw]:
    """What is kept from episode to episode and should not be, and what should be kept from a step and is not."""
    functions: dict[str, list[ast.FunctionDef]] = {}
    in_force = {method.name: method for method in reversed(list(_list_drawing(type(owner))))}
    methods = [*methods, *in_force.values()]
    for method in methods:
        functions.setdefault(method.name.partition("@")[0], []).append(method.node)
    for flag in find_latched_flags(functions):
        method = _find_method(methods, flag.value)
        yield _make_flaw(LATCHED, f"self.{flag.name}", method, flag.value, part=flag.part)
    for function in list_reached(functions, "step"):
        for alias in find_aliases(function, lambda name: isinstance(vars(owner).get(name), np.ndarray)):
            method = _find_method(methods, alias.made)
            yield _make_flaw(ALIASED, alias.name, method, alias.made, alias.changed.lineno, alias.part)


def _find_method(methods: list[Method], node: ast.AST) -> Method:
    return next(one for one in methods if node in ast.walk(one.node))


def _find_paid_words(owner: object, methods: list[Method]) -> Iterator[CodeFlaw]:
    """Terms of the reward whose names say the opposite of their sign."""
    reader = RewardReader({method.name: method.node for method in reversed(methods)}, partial(_find_number, owner))
    for paid in reader.read():
        yield _make_flaw(
            PAID_FOR, f"{paid.name}: {paid.text}", _find_method(methods, paid.node), paid.node, part="reward"
        )


def _find_number(owner: object, name: str) -> float | None:
    """The number that an object or its class holds under a name, or its module."""
    module = sys.modules.get(type(owner).__module__)
    holders = (vars(owner), *(vars(each) for each in type(owner).__mro__), vars(module) if module else {})
    value = next((held[name] for held in holders if name in held), None)
    return float(value) if isinstance(value, int | float) else None


def _find_lost(method: Method) -> Iterator[CodeFlaw]:
    """What is written to a name and never read, where that is more than a value to begin with."""
    for lost in find_lost_values(method.node):
        constant = isinstance(lost.value, ast.Constant | ast.UnaryOp | ast.List | ast.Dict | ast.Tuple)
        part = _find_part(lost.name, method) or ("action" if _name_action(method) in read_names(lost.value) else "")
        if lost.replaced is not None and (lost.in_branch or not constant):
            yield _make_flaw(OVERWRITTEN, lost.name, method, lost.statement, lost.replaced.lineno, part)
        elif lost.replaced is None and (part or isinstance(lost.value, ast.Compare)):
            yield _make_flaw(UNUSED, lost.name, method, lost.statement, 0, part)


def _name_action(method: Method) -> str:
    """What a step calls its action."""
    arguments = [argument.arg for argument in method.node.args.args]
    return arguments[1] if method.name in ("step", "action") and len(arguments) > 1 else ""


def _find_part(name: str, method: Method) -> str:
    """What a name stands for: what is paid by its name, or the place of it in what the method returns."""
    base = name.partition("[")[0].rpartition(".")[2]
    if COST.search(base) or PAID.search(base):
        return "reward"
    for one in ast.walk(method.node):
        value = one.value if isinstance(one, ast.Return) else None
        if isinstance(value, ast.Tuple) and method.name == "step" and len(value.elts) == len(RETURNED):
            for part, returned in zip(RETURNED, value.elts, strict=True):
                if part and base in read_names(returned):
                    return part
        elif method.name not in ("step", "reset") and "[" in name and base in read_names(value):
            return "observation"
    return ""


def _find_unread(owner: type, methods: list[Method]) -> Iterator[CodeFlaw]:
    """Numbers that a class declares under a telling name, and that nothing reads that is loaded."""
    declared = list(_list_settings(owner))
    if not declared:
        return
    nodes = [method.node for method in (*methods, *_list_drawing(owner))]
    read = {one.attr for node in nodes for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    lonely = {name for name, _ in declared} - read
    for file in _list_own_files() if lonely else ():
        if _mentions(file, lonely):
            lonely -= _list_read_elsewhere(file)
    for name, where in declared:
        if name in lonely:
            part = "reward" if COST.search(name) or PAID.search(name) else ""
            yield CodeFlaw(kind=UNREAD, name=name, function=owner.__name__, where=where, part=part)


def _list_drawing(owner: type) -> Iterator[Method]:
    """The methods that only draw by their names; they may read what nothing else does, and a reset may call them."""
    for each in owner.__mro__:
        file = _find_file(each)
        definition = _parse_class(file, each.__qualname__) if file else None
        for node in definition.body if definition is not None else []:
            if isinstance(node, ast.FunctionDef) and DRAWN.match(node.name):
                yield Method(node.name, node, file)


def _list_own_files() -> Iterator[str]:
    """The files of all modules of the user's own that are loaded: one of them may read what a class declares."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.endswith(".py") and is_own(file):
            yield file


def _list_settings(owner: type) -> Iterator[tuple[str, str]]:
    """The numbers under telling names that a class declares, with their places.

    What stands in a class whose steps another one has replaced may be meant for those alone.
    """
    known: set[str] = set()
    replaced = False
    for each in owner.__mro__:
        if replaced:
            return
        replaced = "step" in vars(each)
        file = _find_file(each)
        body = _parse_class(file, each.__qualname__) if file else None
        for node in body.body if body is not None else []:
            targets = [one for target in getattr(node, "targets", []) for one in ast.walk(target)]
            names = [one.id for one in targets if isinstance(one, ast.Name)]
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.UnaryOp | ast.Tuple):
                fresh = (name for name in names if name not in known and SETTING.search(name))
                yield from ((name, f"{file}:{node.lineno}") for name in fresh)
            known.update(names)


def _mentions(file: str, names: set[str]) -> bool:
    """Whether any of these names stands in a file, which is known in a hundredth of the time that parsing it takes."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    return any(name in text for name in names)


def _list_read_elsewhere(file: str) -> frozenset[str]:
    """What a file reads of other things than `self`, as plain names, and by words."""
    tree = _parse_file(file)
    found: set[str] = set()
    for one in ast.walk(tree) if tree is not None else ():
        if isinstance(one, ast.Attribute) and not (isinstance(one.value, ast.Name) and one.value.id == "self"):
            found.add(one.attr)
        elif isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
            found.add(one.id)
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            found.add(one.value)
    return frozenset(found)


def _make_flaw(kind: str, name: str, method: Method, node: ast.AST, later: int = 0, part: str = "") -> CodeFlaw:
    where = f"{method.file}:{getattr(node, 'lineno', 0)}"
    part = part or _find_part(name, method)
    return CodeFlaw(kind=kind, name=name, function=method.name, where=where, later=later, part=part)


def _list_super_calls(node: ast.AST) -> Iterator[str]:
    """The methods that are called by `super().method(...)`."""
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Call):
            call = one.value.func
            if isinstance(call, ast.Name) and call.id == "super":
                yield one.attr


def _find_file(owner: type) -> str:
    """The file of a class of the user's own; empty for any other."""
    try:
        file = inspect.getsourcefile(owner) or ""
    except (TypeError, OSError):
        return ""
    return file if file and is_own(file) else ""


def _parse_file(file: str) -> ast.Module | None:
    """A file as it is now."""
    try:
        state = Path(file).stat()
        return _parse_state(file, state.st_mtime_ns) if state.st_size <= LONGEST else None
    except (OSError, ValueError, SyntaxError, RecursionError):
        return None


@lru_cache(maxsize=KEPT)
def _parse_state(file: str, changed: int) -> ast.Module:
    return ast.parse(Path(file).read_text(encoding="utf-8"))


def _parse_class(file: str, qualified: str) -> ast.ClassDef | None:
    """The definition of a class, which may stand in another class or in a function."""
    node: ast.AST | None = _parse_file(file)
    for name in qualified.replace(".<locals>", "").split("."):
        body = getattr(node, "body", []) if node is not None else []
        node = next((one for one in body if getattr(one, "name", None) == name), None)
    return node if isinstance(node, ast.ClassDef) else None
