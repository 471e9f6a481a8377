"""The formula of a reward, read with the names that its author gave: costs that are added, and failures that pay."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from weaklink.base.evidence.cost_words import COST, OTHERWISE

INCOME = re.compile(r"(^|_)(fee|toll|fine)s?$", re.IGNORECASE)
"""What somebody pays is what another one earns."""

_OWN = r"^_*((is|has|was|just|agent|player|robot|car|vehicle)_)*"

BAD = re.compile(
    _OWN + r"(crash(ed)?|fell|fallen|collided|collision|bumped|lost|died|drowned|burnt|bust(ed)?|illegal|invalid"
    r"|overflow(ed)?|flooded|stalled|capsized|broken|missed|failed|failure|out_of_bounds|off_road|off_track)$",
    re.IGNORECASE,
)
GOOD = re.compile(
    _OWN + r"(won|success|succeeded|solved|arrived|delivered|reached|landed|docked|at_goal|reached_goal|goal_reached)$",
    re.IGNORECASE,
)
"""Names of what happened that everybody reads in one way. What happened to somebody or something else, as in
`opponent_lost`, `brick_broken` or `limit_reached`, is not among them."""

PASSED_ON = frozenset({"float", "int", "float32", "float64", "clip"})
"""Calls whose value has the sign of their first argument."""

DEEPEST = 6


class PaidWord(NamedTuple):
    """A term of the reward that pays for what is a cost or a failure by its name, or charges for a success."""

    name: str
    node: ast.expr
    text: str


class RewardReader:
    """Follows the reward of `step` through names and methods to its terms, with the sign of each."""

    def __init__(self, functions: Mapping[str, ast.FunctionDef], find_number: Callable[[str], float | None]) -> None:
        self._functions = functions
        self._find_number = find_number
        self._seen: set[tuple[str, str, float]] = set()
        self._signs: dict[str, set[float]] = {}
        self.named: set[tuple[str, str]] = set()

    def read(self) -> list[PaidWord]:
        """The terms that are paid although their names say otherwise, but for costs that are charged elsewhere."""
        return [one for one in list(self._list_paid()) if len(self._signs.get(one.name, ())) < 2]

    def _list_paid(self) -> Iterator[PaidWord]:
        step = self._functions.get("step")
        for one in ast.walk(step) if step is not None else ():
            if isinstance(one, ast.Return) and isinstance(one.value, ast.Tuple) and len(one.value.elts) == 5:
                yield from self._follow(one.value.elts[1], 1.0, "step", 0)
        for function, name in sorted(self.named):
            yield from self._list_events(self._functions[function], name)

    def _follow(self, node: ast.expr, sign: float, function: str, depth: int) -> Iterator[PaidWord]:
        if depth > DEEPEST:
            return
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            yield from self._follow(node.left, sign, function, depth)
            yield from self._follow(node.right, sign * (1 if isinstance(node.op, ast.Add) else -1), function, depth)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield from self._follow(node.operand, -sign, function, depth)
        elif isinstance(node, ast.IfExp):
            yield from _judge_choice(node, sign)
            yield from self._follow(node.body, sign, function, depth)
            yield from self._follow(node.orelse, sign, function, depth)
        elif isinstance(node, ast.Call):
            yield from self._follow_call(node, sign, function, depth)
        elif isinstance(node, ast.Name):
            yield from self._follow_name(node, sign, function, depth)
        else:
            yield from self._judge_product(node, sign, function, depth)

    def _follow_call(self, node: ast.Call, sign: float, function: str, depth: int) -> Iterator[PaidWord]:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if _is_passed_on(node):
            yield from self._follow(node.args[0], sign, function, depth)
        elif ast.unparse(node.func) == f"self.{name}" and (name, "", sign) not in self._seen:
            self._seen.add((name, "", sign))
            inner = self._functions.get(name)
            for one in ast.walk(inner) if inner is not None else ():
                if isinstance(one, ast.Return) and one.value is not None:
                    yield from self._follow(one.value, sign, name, depth + 1)

    def _follow_name(self, node: ast.Name, sign: float, function: str, depth: int) -> Iterator[PaidWord]:
        """A cost by its name, where what it gets is never below 0; any other name for what it gets."""
        values = list(_list_values(self._functions[function], node.id))
        if _is_cost(node.id) and values:
            self._signs.setdefault(node.id, set()).add(sign)
            if sign > 0 and all(self._sign(value, function) == added for value, added in values):
                yield PaidWord(node.id, node, node.id)
            return
        if (function, node.id, sign) in self._seen:
            return
        self._seen.add((function, node.id, sign))
        self.named.add((function, node.id))
        for value, added in values:
            yield from self._follow(value, sign * added, function, depth + 1)

    def _judge_product(self, node: ast.expr, sign: float, function: str, depth: int) -> Iterator[PaidWord]:
        """A product with a cost in it, or one of a sum with numbers."""
        factors = list(_list_factors(node))
        named = [one for one in factors if isinstance(one, ast.Name | ast.Attribute) and _is_cost(_name_last(one))]
        whole = sign
        for factor in factors:
            known = self._sign(factor, function)
            if known is None and not isinstance(factor, ast.BinOp | ast.UnaryOp):
                return
            whole *= known or 1.0
        for one in named:
            self._signs.setdefault(_name_last(one), set()).add(whole)
            if whole > 0 and (isinstance(one, ast.Name) or self._find_number(_name_last(one))):
                yield PaidWord(_name_last(one), one, ast.unparse(node))
        sums = [one for one in factors if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add | ast.Sub)]
        if len(sums) == 1 and not named and len(factors) > 1:
            yield from self._follow(sums[0], whole, function, depth + 1)

    def _sign(self, node: ast.expr, function: str) -> float | None:
        """The sign of what is added; None where that is not known. A bare name is taken for a size."""
        if isinstance(node, ast.Constant):
            return float(node.value >= 0) * 2 - 1 if isinstance(node.value, int | float) else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self._sign(node.operand, function)
            return None if inner is None else -inner
        if isinstance(node, ast.Attribute | ast.Name):
            number = self._find_number(_name_last(node))
            return 1.0 if number is None or number >= 0 else -1.0
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
            one, other = self._sign(node.left, function), self._sign(node.right, function)
            return None if one is None or other is None else one * other
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            one, other = self._sign(node.left, function), self._sign(node.right, function)
            return one if one == other else None
        if isinstance(node, ast.Call):
            return self._sign(node.args[0], function) if _is_passed_on(node) else _sign_of_call(node)
        return 1.0 if isinstance(node, ast.Compare | ast.Subscript) else None

    def _list_events(self, function: ast.FunctionDef, name: str) -> Iterator[PaidWord]:
        """What is paid right where something has happened, by the name of that."""
        for one in ast.walk(function):
            if not isinstance(one, ast.If) or not isinstance(one.test, ast.Name | ast.Attribute):
                continue
            happened = _name_last(one.test)
            for statement in one.body:
                paid = _read_payment(statement, name)
                wrong = (BAD.search(happened) and (paid or 0.0) > 0) or (GOOD.search(happened) and (paid or 0.0) < 0)
                if wrong:
                    yield PaidWord(happened, one.test, ast.unparse(statement))


def _judge_choice(node: ast.IfExp, sign: float) -> Iterator[PaidWord]:
    """`one if won else other` with plain numbers."""
    one, other = _read(node.body), _read(node.orelse)
    if one is None or other is None or not isinstance(node.test, ast.Name | ast.Attribute):
        return
    happened, gain = _name_last(node.test), sign * (one - other)
    if (BAD.search(happened) and gain > 0 and sign * one > 0) or (GOOD.search(happened) and gain < 0):
        yield PaidWord(happened, node.test, ast.unparse(node))


def _list_values(function: ast.FunctionDef, name: str) -> Iterator[tuple[ast.expr, float]]:
    """What a name gets in a function, and whether it is added (1) or taken away (-1)."""
    for one in ast.walk(function):
        if isinstance(one, ast.Assign):
            for target in one.targets:
                both = isinstance(target, ast.Tuple) and isinstance(one.value, ast.Tuple)
                pairs = zip(target.elts, one.value.elts, strict=False) if both else [(target, one.value)]  # type: ignore[attr-defined]
                yield from ((value, 1.0) for each, value in pairs if isinstance(each, ast.Name) and each.id == name)
        elif isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name) and one.target.id == name:
            yield one.value, -1.0 if isinstance(one.op, ast.Sub) else 1.0


def _list_factors(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _list_factors(node.left)
        yield from _list_factors(node.right)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        yield from _list_factors(node.left)
    else:
        yield node


def _is_passed_on(node: ast.Call) -> bool:
    """Whether a call only changes the type of its argument, or cuts it off."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in PASSED_ON and bool(node.args)


def _sign_of_call(node: ast.Call) -> float | None:
    """Sizes and counts are never below 0; what other calls return is not known."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return 1.0 if name in ("abs", "len", "sum", "norm", "hypot", "square", "count_nonzero") else None


def _read_payment(statement: ast.stmt, name: str) -> float | None:
    """The plain number that a statement pays into a name."""
    if isinstance(statement, ast.Assign):
        target, value, sign = statement.targets[0], statement.value, 1.0
    elif isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add | ast.Sub):
        target, value, sign = statement.target, statement.value, 1.0 if isinstance(statement.op, ast.Add) else -1.0
    else:
        return None
    paid = _read(value) if isinstance(target, ast.Name) and target.id == name else None
    return None if paid is None else sign * paid


def _read(node: ast.expr) -> float | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
    return float(value) if isinstance(value, int | float) else None


def _is_cost(name: str) -> bool:
    return bool(COST.search(name)) and not OTHERWISE.search(name) and not INCOME.search(name)


def _name_last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
