from __future__ import annotations

from weaklink.base.evidence.model import ModelCheck
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule


@rule(
    "DAT110",
    link=Link.DATA,
    level=Level.ERROR,
    on=ModelCheck,
    needs=("recurrent",),
    leads_to=("VAL301", "VAL304", "EVA303", "REW301", "REW302"),
)
def recurrent_state_kept(check: ModelCheck, *, gap: float = 1e-4, influence: float = 1e-7) -> Answer:
    """The memory of a recurrent policy survives the start of an episode, or does not matter at all.

    ## What it sees
    The same observations are given with an empty memory and with a full one. With the flag of an episode's start set
    the outputs must be the same, step by step and inside a sequence of training; here they differ. Or, without the
    flag, they do not differ: the memory has no influence.

    ## Why it is bad
    A memory that leaks tells the policy of an episode that is over. It learns to rely on it, and values are wrong at
    every start. A memory without influence is an expensive way to have none.

    ## What to do
    1. Multiply both parts of the state by one minus the flag before the recurrent layer, in the rollout and in the
       update alike.
    2. Pass the flags on: `predict(obs, state=state, episode_start=starts)`; in TorchRL append `InitTracker` to the
       environment.
    3. Without influence: check that the output of the recurrent layer, and not its input, goes to the heads.

    ## How to prove it
    `weaklink preflight ENV --model module:factory` compares both memories again after the change.

    ## When it is wrong
    Memory that is meant to last over several episodes, as in meta-learning, is kept on purpose.

    ## References
    sb3-contrib issues #169 and #239; sb3-contrib documentation, RecurrentPPO.
    """
    if check.recurrent is False:
        return None
    memory = check.memory
    if memory is None:
        return CannotTell(("memory",), "the recurrent state could not be set from outside")
    if memory.reset_gap > gap:
        return _kept("an episode's start", memory.reset_gap, gap)
    if memory.sequence_gap is not None and memory.sequence_gap > gap:
        return _kept("a start inside a sequence of training", memory.sequence_gap, gap)
    if memory.influence <= influence:
        return Finding(
            message="The recurrent state has no influence on the outputs.",
            level=Level.WARN,
            confidence=MEDIUM,
            evidence=(Evidence(metric="state influence", value=memory.influence, limit=influence),),
        )
    return None


def _kept(when: str, seen: float, limit: float) -> Finding:
    return Finding(
        message=f"At {when} the old recurrent state still changes the outputs by {seen:.2g} of their size.",
        confidence=HIGH,
        evidence=(Evidence(metric="state after reset", value=seen, limit=limit),),
    )
