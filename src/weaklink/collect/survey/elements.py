"""Elements of arrays and attributes that are written twice in a row, with nothing in between that could read them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple


class WrittenTwice(NamedTuple):
    """An element or attribute, and the two statements that write it."""

    name: str
    first: ast.Assign
    second: ast.Assign


def find_written_twice(function: ast.FunctionDef) -> Iterator[WrittenTwice]:
    """Each element that is overwritten before anything could read it; constants, which only begin with something,
    are left out."""
    for node in ast.walk(function):
        for block in (getattr(node, field, None) for field in ("body", "orelse", "finalbody")):
            if isinstance(block, list):
                yield from _look_at_block(block)


def _look_at_block(statements: list[ast.stmt]) -> Iterator[WrittenTwice]:
    for place, first in enumerate(statements):
        target = _read_target(first)
        if target is None or _is_constant(first.value):  # type: ignore[attr-defined]
            continue
        for second in statements[place + 1 :]:
            if _overwrites(second, target):
                yield WrittenTwice(ast.unparse(target), first, second)  # type: ignore[arg-type]
                break
            if _may_read(second, target):
                break


def _read_target(statement: ast.stmt) -> ast.Subscript | ast.Attribute | None:
    """What a plain assignment writes, where that is one element or one attribute of a name."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    if isinstance(target, ast.Subscript) and _is_plain(target.value):
        return target
    return target if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) else None


def _is_plain(node: ast.expr) -> bool:
    """A name, or an attribute of one."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name))


def _is_constant(node: ast.expr) -> bool:
    """Whether a value says nothing yet: numbers, None, empty containers."""
    return not any(isinstance(one, ast.Name | ast.Call | ast.Attribute) for one in ast.walk(node))


def _overwrites(second: ast.stmt, target: ast.Subscript | ast.Attribute) -> bool:
    """Whether a later assignment replaces the very element, or all of the array, by something that does not read it."""
    later = _read_target(second)
    if later is None or _mentions(second.value, target):  # type: ignore[attr-defined]
        return False
    if ast.dump(later) == ast.dump(target):
        return _is_steady(target)
    if not isinstance(later, ast.Subscript) or not isinstance(target, ast.Subscript):
        return False
    return _is_whole(later) and not _is_whole(target) and ast.dump(later.value) == ast.dump(target.value)


def _is_whole(target: ast.Subscript) -> bool:
    """Whether it writes every element: `array[:]` or `array[...]`."""
    index = target.slice
    if isinstance(index, ast.Slice):
        return index.lower is None and index.upper is None and index.step is None
    return isinstance(index, ast.Constant) and index.value is Ellipsis


def _is_steady(target: ast.Subscript | ast.Attribute) -> bool:
    """Whether the same words name the same element: an index that calls nothing."""
    return not any(isinstance(one, ast.Call | ast.NamedExpr) for one in ast.walk(target))


def _may_read(statement: ast.stmt, target: ast.Subscript | ast.Attribute) -> bool:
    """Whether a statement may read or change what the target names: it mentions it, or it is no plain assignment."""
    if not isinstance(statement, ast.Assign) or _mentions(statement.value, target):
        return True
    if isinstance(target, ast.Attribute) or _calls_owner(statement.value, target):
        return any(isinstance(one, ast.Call) for one in ast.walk(statement.value))
    indices = {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}
    written = {one.id for each in statement.targets for one in ast.walk(each) if isinstance(one, ast.Name)}
    base = {one.id for one in ast.walk(target.value) if isinstance(one, ast.Name)}
    return bool((indices - base) & written)


def _calls_owner(value: ast.expr, target: ast.Subscript | ast.Attribute) -> bool:
    """Whether the array belongs to an object whose methods are called."""
    return isinstance(target.value, ast.Attribute) and any(isinstance(one, ast.Call) for one in ast.walk(value))


def _mentions(node: ast.expr, target: ast.Subscript | ast.Attribute) -> bool:
    """Whether the array or the attribute stands in an expression, in whatever part of it."""
    wanted = target.value if isinstance(target, ast.Subscript) else target
    words = ast.unparse(wanted)
    return any(isinstance(one, ast.expr) and _is_plain(one) and ast.unparse(one) == words for one in ast.walk(node))
