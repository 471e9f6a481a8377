"""The bare table of alerts, for a loop that has nothing but numbers.

Every row is one number against one limit. Healthy runs cross them: the differential entropy of continuous actions is
often below 0, a solved HalfCheetah has Q values over 1000, Pendulum has advantages over 100 with settings that learn.
An alert of this table is a reason to look, no verdict. The rules that stand for each row ask for a second signal,
usually that the return does not improve, and are what a monitor alerts by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isnan
from typing import Any, NamedTuple

import msgspec

from weaklink.base.finding import Level
from weaklink.collect.monitor.readings import readings


class Alert(msgspec.Struct, frozen=True, kw_only=True):
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


_CROSSED: dict[str, Callable[[float, float], bool]] = {
    "above": lambda value, limit: value > limit,
    "below": lambda value, limit: value < limit,
    "further from 0 than": lambda value, limit: abs(value) > limit,
}
_ABOVE, _BELOW, _FAR = _CROSSED


class _Row(NamedTuple):
    code: str
    name: str
    level: Level
    limit: float
    side: str
    metrics: tuple[str, ...]
    meaning: str


_TABLE = (
    _Row("OPT301", "gradient-explosion", Level.ERROR, 1e4, _ABOVE,
         ("optimizer.gradient_norm", "grad_norm", "actor_grad_norm"), "the gradient explodes"),
    _Row("EXP301", "entropy-collapse", Level.WARN, 0.01, _BELOW,
         ("exploration.entropy", "entropy", "entropy_proxy"), "the policy may have stopped exploring"),
    _Row("EXP302", "action-collapse", Level.WARN, 0.01, _BELOW,
         ("exploration.action_std_min", "action_std_min"), "an action dimension has no spread left"),
    _Row("VAL302", "q-divergence", Level.WARN, 1000.0, _FAR,
         ("value.q_mean", "value.q2_mean", "q_mean", "q1_mean", "q2_mean"), "Q values may diverge"),
    _Row("VAL303", "q-twin-spread", Level.WARN, 100.0, _ABOVE,
         ("value.q_twin_spread", "q_value_spread"), "the twin critics disagree"),
    _Row("VAL301", "negative-explained-variance", Level.WARN, -0.5, _BELOW,
         ("value.explained_variance", "explained_variance"), "values are worse than a constant would be"),
    _Row("POL301", "excessive-clipping", Level.WARN, 0.5, _ABOVE,
         ("policy.clip_fraction", "clip_fraction"), "updates want to go much further than they may"),
    _Row("RET301", "advantage-explosion", Level.WARN, 100.0, _ABOVE,
         ("returns.advantage_abs_max", "advantage_abs_max"), "advantages are far too large"),
)  # fmt: skip

_ROW_OF = {metric: row for row in _TABLE for metric in row.metrics}


def check_alerts(metrics: Mapping[str, Any]) -> list[Alert]:
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
    found = [alert for reading in readings(metrics) if (alert := _alert(*reading)) is not None]
    return sorted(found, key=lambda alert: -alert.level)


def _alert(metric: str, short: str, value: float) -> Alert | None:
    if isnan(value):
        return Alert(name="non-finite", metric=metric, value=value, limit=None, level=Level.ERROR, code="OPT300",
                     message=f"{metric} is not a number.")  # fmt: skip
    row = _ROW_OF.get(short)
    if row is None or not _CROSSED[row.side](value, row.limit):
        return None
    return Alert(
        name=row.name,
        metric=metric,
        value=value,
        limit=row.limit,
        level=row.level,
        code=row.code,
        message=f"{metric} is {value:.4g}, {row.side} {row.limit:g}: {row.meaning}.",
    )
