"""Flags that a step sets for good: no reset clears them, and what a step returns follows from them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from weaklink.collect.survey.call_paths import (
    Functions,
    is_opaque,
    is_own_attribute,
    list_reached,
    list_written,
)
from weaklink.collect.survey.liveness import read_names

PARTS = ("observation", "reward", "end", "end", "info")
"""What a step returns, in its order."""


class LatchedFlag(NamedTuple):
    """A flag, the statement's method and expression that set it, and the part of what a step returns that reads it."""

    name: str
    function: ast.FunctionDef
    value: ast.expr
    part: str


def find_latched_flags(functions: Functions) -> Iterator[LatchedFlag]:
    """Each flag that `__init__` begins with, a step turns over, and neither a reset nor a step ever turns back."""
    begun = {
        name: value.value
        for function in functions.get("__init__", ())
        for name, value in list_written(function)
        if isinstance(value, ast.Constant) and isinstance(value.value, bool)
    }
    resets, steps = list_reached(functions, "reset"), list_reached(functions, "step")
    if not begun or "step" not in functions or "reset" not in functions or any(map(is_opaque, (*resets, *steps))):
        return
    cleared = {name for function in resets for name, _ in list_written(function)}
    for name in begun.keys() - cleared:
        written = [(function, value) for function in steps for one, value in list_written(function) if one == name]
        turned = [isinstance(value, ast.Constant) and value.value is (not begun[name]) for _, value in written]
        part = _find_part(steps, name) if written and all(turned) else ""
        if part:
            function, value = written[0]
            assert value is not None
            yield LatchedFlag(name, function, value, part)


def _find_part(steps: list[ast.FunctionDef], flag: str) -> str:
    """Which part of what a step returns follows from a flag; empty for none."""
    step = next(function for function in steps if function.name == "step")
    for node in ast.walk(step):
        value = node.value if isinstance(node, ast.Return) else None
        if not isinstance(value, ast.Tuple) or len(value.elts) != len(PARTS):
            continue
        for part, returned in sorted(zip(PARTS, value.elts, strict=True), key=lambda each: each[0] != "reward"):
            if _mentions(returned, flag) or _is_worked_out_of(step, read_names(returned), flag):
                return part
    if any(isinstance(node, ast.If) and _mentions(node.test, flag) and _leaves(node) for node in ast.walk(step)):
        return "end"
    nodes = (node for function in steps if function is not step for node in ast.walk(function))
    shown = [node.value for node in nodes if isinstance(node, ast.Return) and node.value is not None]
    return "observation" if any(_mentions(value, flag) for value in shown) else ""


def _is_worked_out_of(step: ast.FunctionDef, names: frozenset[str], flag: str) -> bool:
    """Whether a step gives one of the names a value that follows from a flag, or that a test of it decides on."""
    for node in ast.walk(step):
        if isinstance(node, ast.Assign | ast.AugAssign) and _mentions(node.value, flag) and _writes(node, names):
            return True
        if isinstance(node, ast.If) and _mentions(node.test, flag):
            inside = [one for statement in (*node.body, *node.orelse) for one in ast.walk(statement)]
            if any(isinstance(one, ast.Assign | ast.AugAssign) and _writes(one, names) for one in inside):
                return True
    return False


def _leaves(node: ast.If) -> bool:
    """Whether a step is over where the test holds."""
    return any(isinstance(statement, ast.Return) for statement in node.body)


def _writes(node: ast.Assign | ast.AugAssign, names: frozenset[str]) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(one, ast.Name) and one.id in names for target in targets for one in ast.walk(target))


def _mentions(node: ast.AST, flag: str) -> bool:
    return any(is_own_attribute(one) and one.attr == flag for one in ast.walk(node))
