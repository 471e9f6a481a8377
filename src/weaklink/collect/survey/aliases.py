"""What is kept of an array before it changes, where it is the array itself and changes with it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from weaklink.collect.survey.call_paths import is_own_attribute
from weaklink.collect.survey.liveness import read_names

REWARD, OBSERVATION = 1, 0
"""Places in what a step returns."""


class KeptAlias(NamedTuple):
    """A name that is meant to keep an array as it was, the statement that makes it, and the one that changes both."""

    name: str
    made: ast.Assign
    changed: ast.stmt
    part: str


def find_aliases(function: ast.FunctionDef, is_array: Callable[[str], bool]) -> Iterator[KeptAlias]:
    """Each name that is given an array of the object, which is then changed in place before the name is read.

    Args:
        is_array: whether an attribute of the object holds an array.
    """
    for place, made in enumerate(function.body):
        if not isinstance(made, ast.Assign) or len(made.targets) != 1 or not is_own_attribute(made.value):
            continue
        kept, array = ast.unparse(made.targets[0]), made.value.attr
        plain = isinstance(made.targets[0], ast.Name) or is_own_attribute(made.targets[0])
        if not plain or not is_array(array):
            continue
        changed = _find_change(function.body[place + 1 :], kept, f"self.{array}")
        if changed is not None:
            yield KeptAlias(kept, made, changed, _find_part(function, kept))


def _find_change(rest: list[ast.stmt], kept: str, array: str) -> ast.stmt | None:
    """The statement that changes the array in place, where the kept name is read after it."""
    for place, statement in enumerate(rest):
        written = _list_written(statement)
        if kept in written:
            return None
        if _changes_in_place(statement, array):
            return statement if _is_read(rest[place + 1 :], kept) else None
        if array in written or not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr):
            return None
    return None


def _changes_in_place(statement: ast.stmt, array: str) -> bool:
    """Whether it is `array += ...`, or writes elements of the array."""
    if isinstance(statement, ast.AugAssign):
        target = statement.target
        return ast.unparse(target.value if isinstance(target, ast.Subscript) else target) == array
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(one, ast.Subscript) and ast.unparse(one.value) == array for one in targets)


def _list_written(statement: ast.stmt) -> set[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return {
        ast.unparse(one) for target in targets for one in ast.walk(target) if isinstance(one, ast.Name | ast.Attribute)
    }


def _is_read(statements: list[ast.stmt], kept: str) -> bool:
    """Whether the name is read before it is given something else."""
    for statement in statements:
        value = getattr(statement, "value", statement)
        parts = value if isinstance(value, ast.AST) else statement
        if any(isinstance(one, ast.Name | ast.Attribute) and ast.unparse(one) == kept for one in ast.walk(parts)):
            return True
        if kept in _list_written(statement):
            return False
    return False


def _find_part(function: ast.FunctionDef, kept: str) -> str:
    """What of a step's answer follows from the kept name: the reward, the observation or neither."""
    tainted = {kept}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AugAssign) and _reads(node.value, tainted):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            tainted |= {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    for node in ast.walk(function):
        value = node.value if isinstance(node, ast.Return) else None
        if isinstance(value, ast.Tuple) and len(value.elts) == 5:
            for part, place in (("reward", REWARD), ("observation", OBSERVATION)):
                if _reads(value.elts[place], tainted):
                    return part
    return ""


def _reads(node: ast.expr, names: set[str]) -> bool:
    return bool(read_names(node) & names) or any(
        isinstance(one, ast.Attribute) and ast.unparse(one) in names for one in ast.walk(node)
    )
