"""What is measured from the arrays of a training: pure functions, fast, and of bounded cost."""

from weaklink.collect.monitor.measures.distributions import Distribution, Histogram, distribution, histogram
from weaklink.collect.monitor.measures.gradients import (
    NoiseScale,
    dead_unit_share,
    gradient_statistics,
    step_statistics,
)
from weaklink.collect.monitor.measures.returns import reward_components
from weaklink.collect.monitor.measures.rollouts import histograms, measured, trace
from weaklink.collect.monitor.measures.throughput import Throughput
from weaklink.collect.monitor.measures.value import q_values

__all__ = [
    "Distribution",
    "Histogram",
    "NoiseScale",
    "Throughput",
    "dead_unit_share",
    "distribution",
    "gradient_statistics",
    "histogram",
    "histograms",
    "measured",
    "q_values",
    "reward_components",
    "step_statistics",
    "trace",
]
