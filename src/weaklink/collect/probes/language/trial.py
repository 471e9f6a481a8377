"""One training of a language model on one problem."""

from __future__ import annotations

import math
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from typing import Any

import msgspec

from weaklink.base.evidence.outcome import Measure, RungTrial
from weaklink.base.evidence.tokens import TokenTraining
from weaklink.base.outside.own_code import describe_error
from weaklink.collect.probes.language.problem import LEARNED, PROMPTS, LanguageProbe

LONGEST_TOLD = 1500
UNDISCOUNTED = 1.0


def run_language_trial(factory: Callable[..., Any], probe: LanguageProbe, steps: int, seed: int) -> RungTrial:
    """Trains once and measures; what the trainer raises is part of the trial."""
    stage = import_module("weaklink.adapters.trl.stage")
    settings = msgspec.structs.replace(probe.settings, seed=seed)
    began = time.monotonic()
    seen: TokenTraining = stage.trained(
        factory, probe.reward, PROMPTS, settings, steps, displaced=probe.displaced, tools=probe.tools
    )
    measures = _collect_measures(probe, seen)
    trial = RungTrial(
        seed=seed,
        steps=steps,
        taken=0 if seen.raised else steps,
        seconds=time.monotonic() - began,
        gamma=UNDISCOUNTED,
        measures=measures,
        shows=("tokens",) if seen.passes else (),
    )
    if seen.raised is None or any(not measure.holds for measure in measures):
        return trial
    return msgspec.structs.replace(
        trial,
        failure=describe_error(seen.raised),
        kind="raised",
        printed="".join(traceback.format_exception(seen.raised))[-LONGEST_TOLD:],
    )


def _collect_measures(probe: LanguageProbe, seen: TokenTraining) -> tuple[Measure, ...]:
    """What was measured; of a training that was cut short by an error, no more than it still can show."""
    if not seen.after.size:
        return ()
    measures = probe.measures(seen)
    if seen.raised is None:
        return measures
    return tuple(each for each in measures if each.what not in LEARNED or not math.isfinite(each.measured))
