"""Angles that are kept in degrees and taken for radians, and those in radians that are taken for degrees."""

from __future__ import annotations

import ast
from collections.abc import Iterator

WAVES = frozenset({"sin", "cos", "tan"})
CONVERTED = {
    "in radians": frozenset({"deg2rad", "radians"}),
    "in degrees": frozenset({"rad2deg", "degrees"}),
}
"""What converts an angle, by the unit that comes out."""

FULL, HALF = 360.0, 180.0
ROUND = frozenset({15.0, 30.0, 45.0, 60.0, 75.0, 90.0, 120.0, 150.0, 180.0, 270.0, 360.0})
"""Bounds of angles as people write them in degrees; none is one of radians, which go up to 6.3."""


def find_degrees(functions: list[ast.FunctionDef]) -> Iterator[tuple[str, ast.Call]]:
    """Each sine, cosine or tangent of a bare name that is an angle in degrees wherever it is set."""
    kept = {name for function in functions for name in _list_kept(function)}
    for function in functions:
        own = {name for name in kept if name.startswith("self.")} | set(_list_local(function))
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and _name_call(node) in WAVES and len(node.args) == 1:
                words = ast.unparse(node.args[0])
                if words in own:
                    yield words, node


def find_converted_again(functions: list[ast.FunctionDef]) -> Iterator[tuple[str, ast.Call]]:
    """Each name that was converted to a unit of angles, and is converted to it once more, alone or as a factor."""
    for unit, words in CONVERTED.items():
        kept = {name for function in functions for name in _list_converted(function, words) if name.startswith("self.")}
        for function in functions:
            own = kept | {name for name in _list_converted(function, words) if not name.startswith("self.")}
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and _name_call(node) in words and len(node.args) == 1:
                    yield from ((f"{name} {unit}", node) for name in _list_factors(node.args[0]) if name in own)


def _list_converted(function: ast.FunctionDef, words: frozenset[str]) -> Iterator[str]:
    """What is given nothing but a converted angle, wherever the function writes it."""
    given: dict[str, bool] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target, value in _pair_up(node):
                value = _strip(value)
                converted = isinstance(value, ast.Call) and _name_call(value) in words
                name = ast.unparse(target)
                given[name] = given.get(name, True) and converted
        elif isinstance(node, ast.AugAssign):
            given[ast.unparse(node.target)] = False
    yield from (name for name, converted in given.items() if converted)


def _list_factors(node: ast.expr) -> Iterator[str]:
    """The names and attributes that a product is made of."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        yield from _list_factors(node.left)
        yield from _list_factors(node.right) if isinstance(node.op, ast.Mult) else ()
    elif isinstance(node, ast.UnaryOp):
        yield from _list_factors(node.operand)
    elif isinstance(node, ast.Name | ast.Attribute):
        yield ast.unparse(node)


def _list_kept(function: ast.FunctionDef) -> Iterator[str]:
    """The attributes that an assignment turns to a full circle in degrees, or draws from one."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and _is_in_degrees(node.value):
            yield from (ast.unparse(target) for target in node.targets if isinstance(target, ast.Attribute))


def _list_local(function: ast.FunctionDef) -> Iterator[str]:
    """The names that an assignment clips to a round number of degrees."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target, value in _pair_up(node):
                if isinstance(target, ast.Name) and (_is_clipped_to_degrees(value) or _is_in_degrees(value)):
                    yield target.id


def _pair_up(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Targets with their values, those of `a, b = x, y` one by one."""
    for target in node.targets:
        both = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
        if both and len(target.elts) == len(node.value.elts):  # type: ignore[attr-defined]
            yield from zip(target.elts, node.value.elts, strict=True)  # type: ignore[attr-defined]
        else:
            yield target, node.value


def _is_in_degrees(value: ast.expr) -> bool:
    """Whether a value is taken modulo 360, or drawn from a circle of 360 degrees."""
    value = _strip(value)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mod):
        return _read(value.right) == FULL
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Sub):
        return isinstance(value.left, ast.BinOp) and _is_in_degrees(value.left)  # (angle + 180) % 360 - 180
    if isinstance(value, ast.Call) and _name_call(value) == "uniform" and len(value.args) >= 2:
        low, high = _read(value.args[0]), _read(value.args[1])
        return (low, high) in ((0.0, FULL), (-HALF, HALF))
    return False


def _is_clipped_to_degrees(value: ast.expr) -> bool:
    """Whether a value is clipped to a round number of degrees either way."""
    value = _strip(value)
    if not isinstance(value, ast.Call) or _name_call(value) != "clip" or len(value.args) != 3:
        return False
    low, high = _read(value.args[1]), _read(value.args[2])
    return high in ROUND and low == -high


def _strip(value: ast.expr) -> ast.expr:
    """What stands in `float(...)`."""
    while isinstance(value, ast.Call) and _name_call(value) in ("float", "float32") and len(value.args) == 1:
        value = value.args[0]
    return value


def _read(node: ast.expr) -> float | None:
    """The number that is written there."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
    return float(value) if isinstance(value, int | float) else None


def _name_call(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
