"""Pure functions on arrays, with explicit random generators: what rules and evidence reckon with."""

from weaklink.stats.bootstrap import Interval, bootstrap_interval, interquartile_mean, stratified_interval
from weaklink.stats.change import change_points
from weaklink.stats.contest import Contest, contest
from weaklink.stats.lasting import Held, first_lasting, lasting_above, lasting_below
from weaklink.stats.level import blocks, level, noise, quantile, spread
from weaklink.stats.oscillation import Swings, swings
from weaklink.stats.trend import Trend, mann_kendall, theil_sen, trend

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
