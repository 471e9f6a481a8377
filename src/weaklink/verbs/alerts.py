"""The bare limits that rules declare, for a loop that has nothing but numbers.

Each is one number against one limit. Healthy runs cross them: the differential entropy of continuous actions is
often below 0, a solved HalfCheetah has Q values over 1000, Pendulum has advantages over 100 with settings that learn.
An alert of this kind is a reason to look, no verdict. The rules themselves ask for a second signal, usually that the
return does not improve, and are what a monitor alerts by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from math import isnan
from typing import Any

import msgspec

from weaklink.base.finding import Level
from weaklink.collect.monitor.readings import list_readings
from weaklink.judge.rules._declarations import BareLimit, Side
from weaklink.judge.rules._registry import Rule, load_rules_declaring


class LimitAlert(msgspec.Struct, frozen=True, kw_only=True):
    """One number beyond its limit.

    `name` and `code` are those of the rule that judges the same with a second signal, `metric` is the name as it was
    given. `limit` is None where the value is no number at all.
    """

    name: str
    metric: str
    value: float
    limit: float | None
    level: Level
    code: str
    message: str


_CROSSED: dict[Side, Callable[[float, float], bool]] = {
    "above": lambda value, limit: value > limit,
    "below": lambda value, limit: value < limit,
    "further from 0 than": lambda value, limit: abs(value) > limit,
}


@cache
def _collect_limits() -> dict[str | None, tuple[Rule, BareLimit]]:
    """The bare limits by the names of their metrics; None stands for any metric."""
    declared = ((rule, rule.alert) for rule in load_rules_declaring("alert").values() if rule.alert is not None)
    return {metric: (rule, limit) for rule, limit in declared for metric in limit.metrics or (None,)}


def check_alerts(metrics: Mapping[str, Any]) -> list[LimitAlert]:
    """The alerts that the numbers of one moment raise by the bare table, errors first.

    | alert | limit | level |
    |---|---|---|
    | any metric that is not a number | | error |
    | gradient norm | above 10,000 | error |
    | entropy | below 0.01 | warn |
    | smallest standard deviation of an action dimension | below 0.01 | warn |
    | mean Q value | further from 0 than 1000 | warn |
    | distance between twin critics | above 100 | warn |
    | explained variance | below -0.5 | warn |
    | clip fraction | above 0.5 | warn |
    | largest absolute advantage | above 100 | warn |

    Healthy runs cross these limits too; the rules of a monitor ask for a second signal before they alert.

    Args:
        metrics: numbers by their names in the vocabulary or by short ones (`grad_norm`, `entropy`, `q1_mean`, ...),
            with or without a prefix that ends in `/`. What is no number is passed over.
    """
    found = [alert for reading in list_readings(metrics) if (alert := _check_metric(*reading)) is not None]
    return sorted(found, key=lambda alert: -alert.level)


def _check_metric(metric: str, short: str, value: float) -> LimitAlert | None:
    found = _collect_limits().get(None if isnan(value) else short)
    if found is None:
        return None
    rule, bare = found
    if bare.limit is None:
        message = f"{metric} is {bare.side}."
    elif _CROSSED[bare.side](value, bare.limit):
        message = f"{metric} is {value:.4g}, {bare.side} {bare.limit:g}: {bare.meaning}."
    else:
        return None
    return LimitAlert(
        name=rule.name, metric=metric, value=value, limit=bare.limit, level=rule.level, code=rule.code, message=message
    )
