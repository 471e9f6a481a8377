from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Rollout
from weaklink.base.proving import OneRung
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# A gap must exceed the measured rounding noise so many times
NOISE = 10.0


@rule(
    "DAT204",
    link=Link.DATA,
    level=Level.ERROR,
    on=Rollout,
    needs=("recurrence",),
    leads_to=(
        "POL201", "POL301", "POL303", "POL304", "VAL301", "VAL304", "EVA303", "REW301", "REW302", "REW304",
    ),
    experiment=OneRung("memory-reset"),
)  # fmt: skip
def recurrent_state_leak(rollout: Rollout, *, gap: float = 1e-3) -> Answer:
    """The hidden state of a recurrent policy crosses an episode start, or differs from the one in the rollout.

    ## What it sees
    The stored sequences are replayed through the policy, with an empty state at every episode start. The
    log-probabilities must equal the stored ones. If they only do so when the state is never reset, the rollout did not
    reset it.

    ## Why it is bad
    The policy remembers an episode that is over, and the update uses a different hidden state than the one that chose
    the actions. Importance ratios are wrong from the first step, and values at episode starts are learned from noise.

    ## What to do
    1. Multiply every part of the state by one minus the episode-start flag, before the recurrent layer, in the rollout
       and in the update.
    2. Store the state at the beginning of each sequence, before the step and not after it.
    3. Cut sequences at episode starts, or mask them there; never shuffle steps inside a sequence.

    ## How to prove it
    `weaklink probe TRAINER --only memory-reset` fails as long as the state leaks.

    ## When it is wrong
    Meta-learning keeps the hidden state over several episodes on purpose. The rounding noise of 16-bit arithmetic is
    allowed for where it was measured.

    ## References
    sb3-contrib issues #169 and #239; Mava issue #1006; Huang et al., The 37 implementation details of proximal policy
    optimization (2022), LSTM section.
    """
    part = rollout.recurrence
    if part is None or not np.isfinite(part.replay_gap) or not np.isfinite(part.floor):
        return CannotTell(("recurrence",), "the replay gave no finite number")
    limit = max(gap, NOISE * part.floor)
    if part.replay_gap <= limit:
        return None if part.starts else CannotTell(("recurrence",), "no episode began inside the rollout")
    off = f"stored log-probabilities differ by up to {part.replay_gap:.2g} from a replay of the stored sequences"
    unreset = part.unreset_gap
    if part.starts and unreset is not None and unreset <= limit:
        message = f"The hidden state is not reset at episode starts: {off} that resets it at {part.starts} starts, "
        message += f"but only by {unreset:.2g} from a replay that never resets"
    else:
        message = f"The stored hidden states do not reproduce the rollout: {off}"
        message += f", and by {unreset:.2g} without resets" if unreset is not None else ""
    evidence = [Evidence(metric="log-probability off", value=part.replay_gap, limit=limit)]
    if part.state_at_starts is not None:
        evidence.append(Evidence(metric="state at starts", value=part.state_at_starts, limit=0.0))
    return Finding(message=f"{message}.", confidence=HIGH, evidence=tuple(evidence))
