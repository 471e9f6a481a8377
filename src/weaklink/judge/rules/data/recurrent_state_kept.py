from __future__ import annotations

from weaklink.base.evidence.model import ModelCheck
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "DAT110",
    link=Link.DATA,
    level=Level.ERROR,
    on=ModelCheck,
    needs=("recurrent",),
    leads_to=("VAL301", "VAL304", "EVA303", "REW301", "REW302"),
)
def recurrent_state_kept(check: ModelCheck, *, gap: float = 1e-4, influence: float = 1e-7) -> Answer:
    """The hidden state of a recurrent policy survives an episode start, or has no influence at all.

    ## What it sees
    The policy gets the same observations once with an empty hidden state and once with a used one. With the
    episode-start flag set the outputs must be equal, in single steps and inside a training sequence; here they differ.
    Or they do not differ even without the flag: the hidden state has no influence.

    ## Why it is bad
    A leaking state carries information from an episode that is over. The policy learns to rely on it, and values are
    wrong at every episode start. A state without influence means that the policy has no memory.

    ## What to do
    1. Multiply every part of the state by one minus the flag before the recurrent layer, in the rollout and in the
       update.
    2. Pass the flags: `predict(obs, state=state, episode_start=starts)`; in TorchRL append `InitTracker` to the
       environment.
    3. If the state has no influence, check that the output of the recurrent layer, not its input, goes to the heads.

    ## How to prove it
    `weaklink preflight ENV --model module:factory` repeats the comparison after the change.

    ## When it is wrong
    Meta-learning keeps the hidden state over several episodes on purpose.

    ## References
    sb3-contrib issues #169 and #239; sb3-contrib documentation, RecurrentPPO.
    """
    if check.recurrent is False:
        return None
    memory = check.memory
    if memory is None:
        return CannotTell(("memory",), "the hidden state could not be set from outside")
    if memory.reset_gap > gap:
        return _describe("an episode start", memory.reset_gap, gap)
    if memory.sequence_gap is not None and memory.sequence_gap > gap:
        return _describe("an episode start inside a training sequence", memory.sequence_gap, gap)
    if memory.influence <= influence:
        return Finding(
            message="The hidden state has no influence on the outputs.",
            level=Level.WARN,
            confidence=MEDIUM,
            evidence=(Evidence(metric="state influence", value=memory.influence, limit=influence),),
        )
    return None


def _describe(when: str, seen: float, limit: float) -> Finding:
    return Finding(
        message=f"At {when} the old hidden state still changes the outputs by {seen:.2g} of their size.",
        confidence=HIGH,
        evidence=(Evidence(metric="state after reset", value=seen, limit=limit),),
    )
