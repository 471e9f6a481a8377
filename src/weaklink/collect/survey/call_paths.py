"""Which methods of an environment a step comes through, and which a reset."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

Functions = Mapping[str, Sequence[ast.FunctionDef]]
"""The methods in force by name, a method of the class before those that it calls by `super()`."""


def list_reached(functions: Functions, name: str) -> list[ast.FunctionDef]:
    """A method and all that it calls on `self`, directly or not."""
    found: dict[str, Sequence[ast.FunctionDef]] = {}
    open_names = [name]
    while open_names:
        one = open_names.pop()
        if one in found or one not in functions:
            continue
        found[one] = functions[one]
        open_names += [call for function in functions[one] for call in _list_calls(function)]
    return [function for several in found.values() for function in several]


def list_written(function: ast.FunctionDef) -> Iterator[tuple[str, ast.expr | None]]:
    """The attributes of `self` that a method writes, each with its value; None where that cannot be told."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                plain = target if isinstance(target, ast.Attribute) else None
                for one in ast.walk(target):
                    if is_own_attribute(one) and isinstance(one.ctx, ast.Store):
                        yield one.attr, node.value if one is plain else None
        elif isinstance(node, ast.AugAssign | ast.AnnAssign) and is_own_attribute(node.target):
            yield node.target.attr, node.value if isinstance(node, ast.AnnAssign) else None
        elif isinstance(node, ast.For) and is_own_attribute(node.target):
            yield node.target.attr, None


def is_own_attribute(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Whether it is an attribute of `self`."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def is_opaque(function: ast.FunctionDef) -> bool:
    """Whether it may write attributes that are not named in it."""
    words = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)}
    words |= {one.attr for one in ast.walk(function) if isinstance(one, ast.Attribute)}
    return bool(words & {"setattr", "vars", "__dict__", "exec", "eval", "__init__"})


def _list_calls(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if is_own_attribute(node):
            yield node.attr
