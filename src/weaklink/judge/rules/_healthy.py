"""Levels from what healthy looks like: where a number stands among those of healthy environments.

`healthy.json` has, for each statistic that rules grade, its value in every environment of a registry of healthy ones
(`bench/healthy_levels.py` makes it). A value inside that range is information at most, one beyond all of them by
`MARGIN` is a warning, one beyond them by `FAR` an error.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from math import inf, isnan

import msgspec

from weaklink.base.finding import Level

MARGIN = 3.0
"""How many times past the last healthy value a warning begins.

The registry is a sample: leaving out its most extreme environment moves the end of a range by less than this.
"""

FAR = 100.0
"""How many times past the last healthy value an error begins: two orders of magnitude, which no choice of units or
weights in the registry spans."""

HIGH_IS_WORSE, LOW_IS_WORSE = "high", "low"


class HealthyRange(msgspec.Struct, frozen=True, kw_only=True):
    """The values of one statistic in healthy environments, by the name of the environment, the smallest first.

    `worse` says on which side the trouble lies, `what` names the number as a message does. No value is
    negative: they are compared by their ratio.
    """

    what: str
    worse: str
    values: dict[str, float]


class HealthyStanding(msgspec.Struct, frozen=True, kw_only=True):
    """Where a value stands among the healthy ones.

    `times` says how many times past the last healthy value it lies (below 1 inside the range), `nearest` names the
    environment whose value is nearest, `limit` is where a warning begins, and `words` says all of it in one phrase.
    """

    level: Level
    times: float
    nearest: str
    limit: float
    words: str

    @property
    def beyond(self) -> bool:
        """Whether it lies beyond everything healthy by more than the margin."""
        return self.level >= Level.WARN


def compare_with_healthy(statistic: str, value: float) -> HealthyStanding:
    """Places a value among those of healthy environments.

    Args:
        statistic: a name of `healthy.json`, such as `observation.spread_ratio`.
        value: the value to place, measured by the same function as the healthy ones.
    """
    known = read_healthy()[statistic]
    high = known.worse == HIGH_IS_WORSE
    names = list(known.values)
    last = names[-1 if high else 0]
    end = known.values[last]
    times = _divide(value, end) if high else _divide(end, value)
    level = Level.ERROR if times > FAR else Level.WARN if times > MARGIN else Level.INFO
    nearest = last if times > 1.0 else min(names, key=lambda name: abs(known.values[name] - value))
    inside = sum(known.values[name] < value if high else known.values[name] > value for name in names)
    place = (
        f"{times:,.3g} times past the {'largest' if high else 'smallest'} of {len(names)} healthy environments "
        f"({end:,.4g} in {last})"
        if times > 1.0
        else f"{'more' if high else 'less'} than in {inside} of {len(names)} healthy environments "
        f"({known.values[nearest]:,.4g} in {nearest})"
    )
    limit = end * MARGIN if high else end / MARGIN
    return HealthyStanding(
        level=level, times=times, nearest=nearest, limit=limit, words=f"{known.what} {value:,.4g}, {place}"
    )


def _divide(value: float, by: float) -> float:
    if isnan(value) or isnan(by):
        return 0.0
    return value / by if by > 0.0 else inf if value > 0.0 else 0.0


@cache
def read_healthy() -> dict[str, HealthyRange]:
    """Every statistic with its healthy values."""
    text = files("weaklink.judge.rules").joinpath("healthy.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, HealthyRange])
