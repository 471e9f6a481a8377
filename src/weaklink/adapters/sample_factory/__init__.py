"""Sample Factory: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="sample_factory",
    title="Sample Factory",
    tie=17,
    packages=("sample_factory",),
    marks=(
        "len/len",
        "perf/_fps",
        "perf/_sample_throughput",
        "policy_stats/avg_true_objective",
        "train/fraction_clipped",
        "train/same_policy_fraction",
        "train/valids_fraction",
        "train/version_diff_avg",
    ),
)
