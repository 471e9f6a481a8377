"""Pure functions on arrays, with explicit random generators: what rules and evidence reckon with."""

from weaklink.base.stats.bootstrap import Interval, bootstrap_interval, interquartile_mean, stratified_interval
from weaklink.base.stats.change import change_points
from weaklink.base.stats.contest import Contest, contest
from weaklink.base.stats.lasting import Held, first_lasting, lasting_above, lasting_below
from weaklink.base.stats.level import blocks, level, noise, quantile, spread
from weaklink.base.stats.oscillation import Swings, swings
from weaklink.base.stats.trend import Trend, mann_kendall, theil_sen, trend

__all__ = [
    "Contest",
    "Held",
    "Interval",
    "Swings",
    "Trend",
    "blocks",
    "bootstrap_interval",
    "change_points",
    "contest",
    "first_lasting",
    "interquartile_mean",
    "lasting_above",
    "lasting_below",
    "level",
    "mann_kendall",
    "noise",
    "quantile",
    "spread",
    "stratified_interval",
    "swings",
    "theil_sen",
    "trend",
]
