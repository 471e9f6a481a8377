"""The training that a job stands for: in an environment, in the one made for reading, or of a language model."""

from __future__ import annotations

from weaklink.base.evidence.outcome import RungTrial
from weaklink.base.evidence.protocols import Trainer
from weaklink.collect.probes.catalogue import find_probe
from weaklink.collect.probes.ladder import ProbeJob
from weaklink.collect.probes.language.catalogue import LANGUAGE_PROBES
from weaklink.collect.probes.language.trial import run_language_trial
from weaklink.collect.probes.reading_probe import find_reading_probe
from weaklink.collect.probes.reading_trial import run_reading_trial
from weaklink.collect.probes.trial import trial

_OF_LANGUAGE = {probe.title: probe for probe in LANGUAGE_PROBES}


def run_any_trial(train: Trainer, job: ProbeJob, *, gamma: float | None = None) -> RungTrial:
    """Carries it out."""
    if job.title in _OF_LANGUAGE:
        return run_language_trial(train, _OF_LANGUAGE[job.title], job.steps, job.seed)
    reading = find_reading_probe(job.title)
    if reading is not None:
        return run_reading_trial(train, reading, job.steps, job.seed, gamma=gamma)
    return trial(train, find_probe(job.title), job.steps, job.seed, gamma=gamma)
