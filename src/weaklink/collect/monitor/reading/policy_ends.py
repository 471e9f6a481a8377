"""Where an episode ends: what the advantages in a policy's loss go on with, which need not be what targets do.

Weights that follow the advantages in every row but those at ends differ there in what they bootstrap from. With slope
and offset of the other rows, the advantage of an end is known, and with the value before it the target behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.recovered import RecoveredEnd, RecoveredPolicy
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.policy_reading import read_weights
from weaklink.collect.monitor.reading.continuing import read_ends
from weaklink.collect.monitor.reading.values import ValueRecovery
from weaklink.collect.monitor.reading.weights import EXACT, fit_weights, undo_normalising


def read_policy_ends(
    reading: UpdateReading, policy: RecoveredPolicy, critic: ValueRecovery, advantages: Sequence[Array]
) -> tuple[RecoveredEnd, ...]:
    """What the advantages go on with at ends, where these are the rows that the weights do not follow in; else nothing.

    Args:
        reading: of the update.
        policy: whose weights follow no advantages in all rows.
        critic: beside it, whose steps are known.
        advantages: (rows of the tape,) each, that it may be weighed with.
    """
    steps, gamma = critic.steps, critic.values.gamma
    seen = read_weights(reading, policy.head)
    if steps is None or gamma is None or seen is None:
        return ()
    ends = steps.spread(steps.ended.astype(np.float64), reading.tape.rows) > 0.0
    inner = seen.take(~ends[seen.rows])
    for each in advantages:
        fit = fit_weights(inner, each)
        if fit is None or fit.correlation < EXACT or set(fit.batches) != set(np.unique(seen.batches)):
            continue
        made = steps.gather(undo_normalising(seen, fit, reading.tape.rows))
        known = steps.gather(each)
        # beside the ends all are what they should be, and a trace that they carry must not be told of them
        wanted = np.where(steps.ended, made, np.where(np.isfinite(made), known, np.nan))
        return read_ends(replace(steps, targets=wanted + steps.values), gamma, critic.values.lam)
    return ()
