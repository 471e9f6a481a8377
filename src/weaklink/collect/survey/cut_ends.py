"""Ends of the task that a step reports as a time limit: `truncated` follows from a crash, `terminated` never holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from weaklink.collect.survey.reward_words import BAD, GOOD

TERMINATED, TRUNCATED, RETURNED = 2, 3, 5


class CutEnd(NamedTuple):
    """What `truncated` is worked out of, by its name, and where."""

    name: str
    value: ast.expr


def find_cut_ends(step: ast.FunctionDef) -> Iterator[CutEnd]:
    """Each failure or success by its name that only ever makes a step's `truncated` true, in a task without any end."""
    returns = [
        node.value.elts
        for node in ast.walk(step)
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == RETURNED
    ]
    if not returns or not all(_is_never(step, each[TERMINATED]) for each in returns):
        return
    for each in returns:
        for value in (each[TRUNCATED], *_list_values(step, each[TRUNCATED])):
            for one in ast.walk(value):
                name = one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "")
                if BAD.search(name) or GOOD.search(name):
                    yield CutEnd(name, value)
                    return


def _is_never(step: ast.FunctionDef, value: ast.expr) -> bool:
    """Whether a value is False, or a name that is given nothing else."""
    if isinstance(value, ast.Constant):
        return value.value is False
    values = list(_list_values(step, value))
    return bool(values) and all(isinstance(one, ast.Constant) and one.value is False for one in values)


def _list_values(step: ast.FunctionDef, name: ast.expr) -> Iterator[ast.expr]:
    """What a step gives to a name, alone or among others."""
    for node in ast.walk(step):
        if not isinstance(node, ast.Assign | ast.AugAssign) or not isinstance(name, ast.Name):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        written = (each for target in targets for each in (getattr(target, "elts", None) or [target]))
        if any(isinstance(one, ast.Name) and one.id == name.id for one in written):
            yield node.value
