"""Pure functions on arrays, with explicit random generators: what rules and evidence reckon with."""

from weaklink.base.stats.bootstrap import Interval, bootstrap_interval, interquartile_mean, stratified_interval
from weaklink.base.stats.change import change_points
from weaklink.base.stats.contest import Contest, compare_means
from weaklink.base.stats.fisher import compute_fisher_tail
from weaklink.base.stats.lasting import (
    HeldStretch,
    find_departure,
    find_first_lasting,
    find_lasting_above,
    find_lasting_below,
)
from weaklink.base.stats.level import block_means, level, noise, quantile, spread
from weaklink.base.stats.oscillation import Swings, count_swings
from weaklink.base.stats.stretches import scatter_within, split_stretches, wander
from weaklink.base.stats.trend import Trend, mann_kendall, theil_sen, trend

__all__ = [
    "Contest",
    "HeldStretch",
    "Interval",
    "Swings",
    "Trend",
    "block_means",
    "bootstrap_interval",
    "change_points",
    "compare_means",
    "compute_fisher_tail",
    "count_swings",
    "find_departure",
    "find_first_lasting",
    "find_lasting_above",
    "find_lasting_below",
    "interquartile_mean",
    "level",
    "mann_kendall",
    "noise",
    "quantile",
    "scatter_within",
    "split_stretches",
    "spread",
    "stratified_interval",
    "theil_sen",
    "trend",
    "wander",
]
