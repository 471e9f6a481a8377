from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB113", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("memory-reset",))
def memory_reset(outcome: Outcome) -> Answer:
    """The recurrent state leaks from one episode into the next.

    ## What it sees
    A coin must be guessed before it is shown, and the next episode's coin is nine times in ten the same. With an
    empty memory at the start of an episode nobody can be right more than half of the time. More than 68 % of right
    guesses late in training, on nearly every seed, give a leak away.

    ## Why it is bad
    A state that is not emptied carries one episode into the next: in evaluation, where it is emptied, or with another
    order of episodes, the agent behaves otherwise than it was trained. In a vector one member's end must empty that
    member alone.

    ## What to do
    1. In the collector set the state of a member to zero when its episode has ended, before the first observation of
       the next.
    2. Do the same inside the update: multiply the state by (1 - episode start) at each step of a sequence.
    3. Look at which flag is used: it must be the one that belongs to the observation to come, and both terminated and
       truncated.

    ## How to prove it
    `weaklink probe TRAINER --only memory-reset` after the change: the guesses must be right half of the time.

    ## When it is wrong
    A trainer that is meant to remember across episodes (meta-learning as in RL2) does so by design. With few episodes
    late in training luck alone may come near the limit. An agent that sees the last reward or the last observation
    across resets is leaking too, if on purpose.

    ## References
    Mava issue 1006 (hidden state not reset); Huang et al., "The 37 Implementation Details of Proximal Policy
    Optimization", 2022 (LSTM: the state is reset at episode ends); practice.
    """
    return broken(
        outcome,
        "memory-reset",
        Link.DATA,
        "the memory is not emptied at the start of an episode",
        "where the state is set to zero at the end of an episode, while collecting and in the update",
    )
