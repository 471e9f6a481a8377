from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB113", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("memory-reset",))
def memory_reset(outcome: Outcome) -> Answer:
    """The recurrent state leaks from one episode into the next.

    ## What it sees
    A coin must be guessed before it is shown, and the next episode's coin is nine times in ten the same. With a reset
    state at the start of an episode no agent can be right more than half of the time. More than 68 % of right guesses
    late in training, on nearly every seed, reveal a leak.

    ## Why it is bad
    A state that is not reset carries one episode into the next: in evaluation, where it is reset, or with another order
    of episodes, the agent behaves differently than in training. In a vector environment the end of one member's episode
    must reset that member only.

    ## What to do
    1. In the collector set the state of a member to zero when its episode has ended, before the first observation of
       the next.
    2. Do the same inside the update: multiply the state by (1 - episode start) at each step of a sequence.
    3. Check which flag is used: it must belong to the next observation, and be set by both terminated and truncated.

    ## How to prove it
    `weaklink probe TRAINER --only memory-reset` after the change: guesses must be right half of the time.

    ## When it is wrong
    A trainer that is meant to remember across episodes (meta-learning as in RL2) does so by design. With few episodes
    late in training chance alone may come near the limit. An agent that gets the last reward or observation across
    resets leaks too, even if on purpose.

    ## References
    Mava issue 1006 (hidden state not reset); Huang et al., "The 37 Implementation Details of Proximal Policy
    Optimization", 2022 (LSTM: the state is reset at episode ends); practice.
    """
    return broken(
        outcome,
        "memory-reset",
        Link.DATA,
        "the recurrent state is not reset at the start of an episode",
        "where the recurrent state is reset at the end of an episode, while collecting and in the update",
    )
