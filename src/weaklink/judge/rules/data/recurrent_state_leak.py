from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import HIGH, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.proving import OneRung
from weaklink.judge.rules._registry import rule


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
    """The memory of a recurrent policy crosses the start of an episode, or is not the one that was collected with.

    ## What it sees
    The stored sequences are played through the policy again, with an empty state at every episode's start. The
    log-probabilities must be those that were stored. Where they are not, but are when the state is never reset, the
    collector did not reset it.

    ## Why it is bad
    The policy remembers an episode that is over, and the update sees another memory than the one that chose the
    actions. Ratios are wrong from the first step on, and whatever is learned about starts is learned from noise.

    ## What to do
    1. Multiply every part of the state by one minus the episode's start, before the recurrent layer, while collecting
       and while learning.
    2. Store the state with which each sequence began, before the step and not after it.
    3. Cut sequences at the starts of episodes, or mask them there; never shuffle steps inside a sequence.

    ## How to prove it
    `weaklink probe TRAINER --only memory-reset` fails as long as the state leaks.

    ## When it is wrong
    A memory that is meant to last over several episodes, as in meta-learning, is kept on purpose. Sixteen-bit
    arithmetic has a noise of its own; where it was measured, it is allowed for.

    ## References
    sb3-contrib issues #169 and #239; Mava issue #1006; Huang et al., The 37 implementation details of proximal policy
    optimization (2022), the LSTM.
    """
    part = rollout.recurrence
    if part is None or not np.isfinite(part.replay_gap) or not np.isfinite(part.floor):
        return CannotTell(("recurrence",), "the replay gave no number")
    limit = max(gap, 10.0 * part.floor)
    if part.replay_gap <= limit:
        return None if part.starts else CannotTell(("recurrence",), "no episode began inside of the rollout")
    off = f"stored log-probabilities lie up to {part.replay_gap:.2g} from a replay of the stored sequences"
    unreset = part.unreset_gap
    if part.starts and unreset is not None and unreset <= limit:
        told = f"The recurrent state is not reset at episode starts: {off} that resets it at {part.starts} starts, and "
        told += f"{unreset:.2g} from one that never does"
    else:
        told = f"The stored states do not reproduce what was collected: {off}"
        told += f", and {unreset:.2g} without resets" if unreset is not None else ""
    evidence = [Evidence(metric="log-probability off", value=part.replay_gap, limit=limit)]
    if part.state_at_starts is not None:
        evidence.append(Evidence(metric="state at starts", value=part.state_at_starts, limit=0.0))
    return Finding(message=f"{told}.", confidence=HIGH, evidence=tuple(evidence))
