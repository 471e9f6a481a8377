"""The training that a job stands for: in an environment, or of a language model."""

from __future__ import annotations

from weaklink.base.evidence.outcome import Trial
from weaklink.base.evidence.protocols import Trainer
from weaklink.collect.probes.catalogue import probe_called
from weaklink.collect.probes.ladder import Job
from weaklink.collect.probes.language.catalogue import LANGUAGE_PROBES
from weaklink.collect.probes.language.trial import language_trial
from weaklink.collect.probes.trial import trial

_OF_LANGUAGE = {probe.title: probe for probe in LANGUAGE_PROBES}


def any_trial(train: Trainer, job: Job, *, gamma: float | None = None) -> Trial:
    """Carries it out."""
    if job.title in _OF_LANGUAGE:
        return language_trial(train, _OF_LANGUAGE[job.title], job.steps, job.seed)
    return trial(train, probe_called(job.title), job.steps, job.seed, gamma=gamma)
