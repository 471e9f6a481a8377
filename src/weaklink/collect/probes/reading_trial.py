"""One training on the environment made for reading, by a function of the user's."""

from __future__ import annotations

import time
from importlib import import_module

from weaklink.base.evidence.outcome import RungTrial
from weaklink.base.evidence.protocols import Trainer
from weaklink.base.outside.own_code import describe_error
from weaklink.collect.probes.reading import EnoughRead, TrainingReader
from weaklink.collect.probes.reading_probe import ReadingProbe
from weaklink.collect.probes.trial import ASSUMED_GAMMA, pick_settings


def run_reading_trial(
    train: Trainer, probe: ReadingProbe, steps: int, seed: int, *, gamma: float | None = None
) -> RungTrial:
    """Trains until enough was read; what the trainer raises is part of the trial."""
    made = import_module("weaklink.adapters.gymnasium.read_world").ReadEnvironment
    given = pick_settings(train, gamma)
    known = given.get("gamma", gamma)
    packed: list[bytes] = []
    reader = TrainingReader(steps, {} if known is None else {"gamma": known}, packed.append)
    began, failure = time.monotonic(), ""
    reader.listen()
    try:
        train(lambda: made(continuous=probe.continuous, on_step=reader.count_step), steps, seed, **given)
    except EnoughRead:
        pass
    except (Exception, SystemExit) as error:
        failure = describe_error(error)
    finally:
        reader.close()
    return RungTrial(
        seed=seed,
        steps=steps,
        taken=reader.taken,
        gamma=ASSUMED_GAMMA if known is None else known,
        readings=tuple(packed),
        seconds=time.monotonic() - began,
        failure=failure,
        kind="raised" if failure else "",
    )
