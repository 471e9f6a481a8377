"""Which values a function works out and never reads, by walking its statements from the last to the first.

A name is live where something may still read it. What is written to a name that is not live is lost. Whatever cannot be
followed (inner functions, `global`, `locals()`) counts as reading all that it mentions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import NamedTuple

Names = frozenset[str]
NOTHING: Names = frozenset()

ROUNDS = 3
"""Times that a loop is walked, so that what its next turn reads is known."""

OPAQUE = frozenset({"locals", "eval", "exec", "vars"})


class LostValue(NamedTuple):
    """A statement whose value nothing reads; `replaced` is that which writes the same name next, None for none."""

    name: str
    statement: ast.stmt
    value: ast.expr
    in_branch: bool
    replaced: ast.stmt | None


def find_lost_values(function: ast.FunctionDef) -> list[LostValue]:
    """The values that are written to a name of a function and never read, in their order."""
    if _is_opaque(function):
        return []
    walk = _Walk(_list_escaping(function))
    walk.block(function.body, NOTHING, depth=0)
    found = sorted(walk.lost.values(), key=lambda one: one[0].lineno)
    return [
        LostValue(name, statement, value, depth > 0, _find_next(function, name, statement))
        for statement, name, value, depth in found
    ]


class _Walk:
    """One function, from its end to its beginning."""

    def __init__(self, escaping: Names) -> None:
        self.escaping = escaping
        self.lost: dict[int, tuple[ast.stmt, str, ast.expr, int]] = {}
        self._loops: list[tuple[Names, Names]] = []  # what is live after the loop, and at its next turn

    def block(self, statements: list[ast.stmt], live: Names, depth: int) -> Names:
        """What is live before the statements."""
        for statement in reversed(statements):
            live = self.statement(statement, live, depth)
        return live

    def statement(self, statement: ast.stmt, live: Names, depth: int) -> Names:
        """What is live before one statement."""
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign):
            return self._write(statement, live, depth)
        if isinstance(statement, ast.If):
            return (
                self.block(statement.body, live, depth + 1)
                | self.block(statement.orelse, live, depth + 1)
                | read_names(statement.test)
            )
        if isinstance(statement, ast.For | ast.While):
            return self._loop(statement, live, depth)
        if isinstance(statement, ast.With):
            return self.block(statement.body, live, depth) | read_names(
                *(item.context_expr for item in statement.items)
            )
        if isinstance(statement, ast.Return | ast.Raise):
            return read_names(statement)
        if isinstance(statement, ast.Break | ast.Continue) and self._loops:
            return self._loops[-1][isinstance(statement, ast.Continue)]
        return live | read_names(statement)  # a `try`, a `match`: all that is mentioned there may be read

    def _write(self, statement: ast.Assign | ast.AugAssign | ast.AnnAssign, live: Names, depth: int) -> Names:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        value = statement.value
        if value is None:
            return live
        read = read_names(value, *(target for target in targets if not isinstance(target, ast.Name)))
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        if len(names) == 1 == len(targets):
            self.lost.pop(id(statement), None)
            if names[0] not in live | self.escaping and not names[0].startswith("_"):
                self.lost[id(statement)] = (statement, names[0], value, depth)
        if isinstance(statement, ast.AugAssign):
            return live | read | frozenset(names)
        unpacked = {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
        stored = unpacked if all(isinstance(target, ast.Name | ast.Tuple) for target in targets) else set(names)
        return (live - stored) | read

    def _loop(self, statement: ast.For | ast.While, live: Names, depth: int) -> Names:
        asked = read_names(statement.iter if isinstance(statement, ast.For) else statement.test)
        after = self.block(statement.orelse, live, depth + 1)
        before = after | asked
        for _ in range(ROUNDS):
            self._loops.append((live, before))
            before = before | self.block(statement.body, before, depth + 1)
            self._loops.pop()
        return before


def read_names(*nodes: ast.AST | None) -> Names:
    """All names that are read in some nodes."""
    return frozenset(
        one.id
        for node in nodes
        if node is not None
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    )


def _is_opaque(function: ast.FunctionDef) -> bool:
    """Whether it may read names that it does not mention."""
    calls = (one.func for one in ast.walk(function) if isinstance(one, ast.Call))
    return any(isinstance(call, ast.Name) and call.id in OPAQUE for call in calls)


def _list_escaping(function: ast.FunctionDef) -> Names:
    """Names that others read too: inner functions, and what is not the function's own."""
    inner = [one for one in ast.walk(function) if isinstance(one, ast.FunctionDef | ast.Lambda) and one is not function]
    shared: Iterable[str] = (
        name for one in ast.walk(function) if isinstance(one, ast.Global | ast.Nonlocal) for name in one.names
    )
    return read_names(*inner) | frozenset(shared)


def _find_next(function: ast.FunctionDef, name: str, statement: ast.stmt) -> ast.stmt | None:
    """The first statement below that writes the same name, and in no branch beside the one of the statement."""
    beside = {
        id(one)
        for branch in ast.walk(function)
        if isinstance(branch, ast.If) and any(one is statement for one in ast.walk(branch))
        for one in ast.walk(branch)
    }
    later = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Assign | ast.AnnAssign)
        and one.lineno > statement.lineno
        and id(one) not in beside
        and name
        in {part.id for part in ast.walk(one) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    ]
    return min(later, key=lambda one: one.lineno, default=None)
