"""What is measured from the arrays of a training: pure functions, fast, and of bounded cost."""

from weaklink.collect.monitor.measures.distributions import (
    Distribution,
    Histogram,
    compute_histogram,
    summarise_distribution,
)
from weaklink.collect.monitor.measures.gradients import (
    NoiseScale,
    compute_gradient_statistics,
    dead_unit_share,
    step_statistics,
)
from weaklink.collect.monitor.measures.returns import average_reward_components
from weaklink.collect.monitor.measures.rollouts import compute_histograms, measure_rollout, trace_episode
from weaklink.collect.monitor.measures.throughput import Throughput
from weaklink.collect.monitor.measures.value import summarise_q_values

__all__ = [
    "Distribution",
    "Histogram",
    "NoiseScale",
    "Throughput",
    "average_reward_components",
    "compute_gradient_statistics",
    "compute_histogram",
    "compute_histograms",
    "dead_unit_share",
    "measure_rollout",
    "step_statistics",
    "summarise_distribution",
    "summarise_q_values",
    "trace_episode",
]
