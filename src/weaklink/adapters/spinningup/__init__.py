"""Spinning Up: its logs."""

from __future__ import annotations

from weaklink.adapters.framework import Framework

FRAMEWORK = Framework(
    name="spinningup",
    title="Spinning Up",
    tie=9,
    packages=("spinup",),
    marks=("AverageEpRet", "AverageTestEpRet", "TotalEnvInteracts", "AverageVVals", "AverageQVals", "AverageQ1Vals"),
)
