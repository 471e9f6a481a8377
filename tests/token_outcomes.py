"""Outcomes of probes of language models for the tests of rules: numbers as they were measured, nothing is trained."""

from __future__ import annotations

from typing import Any

from weaklink.base.evidence.outcome import Measure, Outcome, Rung, RungTrial
from weaklink.collect.probes.language.catalogue import LANGUAGE_PROBES
from weaklink.judge.diagnosis.probing import list_rung_codes

PROBES = {probe.title: probe for probe in LANGUAGE_PROBES}

LIMITS = {
    "drift": (0.0, 0.0, 0.01),
    "gradient explained": (1.0, 0.9, 1.001),
    "gradient share": (0.0, 0.0, 0.001),
    "log-probability off": (0.0, 0.0, 0.02),
    "temperature": (0.6, 0.55, 0.66),
    "unevenness of weights": (0.0, 0.0, 0.05),
    "agreement": (1.0, 0.97, 1.001),
    "weight of the end": (1.0, 0.5, 2.0),
    "probability": (1.0, 0.6, 1.0),
    "KL left": (0.0, 0.0, 0.8),
    "weight of the KL": (1.0, 0.7, 1.4),
    "power of the length": (0.0, -1.3, 0.3),
}
"""For each measure what is right and the band around it."""


def measure(what: str, where: str, measured: float, **mistakes: float) -> Measure:
    right, low, high = LIMITS[what]
    named = {name.replace("_", " "): score for name, score in mistakes.items()}
    return Measure(what=what, where=where, measured=measured, right=right, low=low, high=high, mistakes=named)


def climbed(title: str, *measures: Measure, **trial: Any) -> Outcome:
    """A climb of one rung with three seeds that all measured the same."""
    probe = PROBES[title]
    trials = tuple(RungTrial(seed=seed, steps=24, gamma=1.0, measures=measures, **trial) for seed in range(3))
    rung = Rung(
        code=list_rung_codes()[probe.name],
        name=probe.name,
        problem=title,
        environment=probe.id,
        adds=probe.adds,
        trials=trials,
    )
    return Outcome(trainer="mine.py:factory", rungs=(rung,), shows=("tokens",))
