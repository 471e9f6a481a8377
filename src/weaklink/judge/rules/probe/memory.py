from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB112", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("memory",))
def memory(outcome: Outcome) -> Answer:
    """An observation from two steps ago is not used.

    ## What it sees
    A sign is shown, then nothing, then the agent acts: right is the sign of two steps before. A memoryless agent is
    right half of the time; a recurrent one must be right in at least 90 % of the queries after both signs, on nearly
    every seed. `reset()` is called before each episode, and `act` carries the recurrent state.

    ## Why it is bad
    A recurrent network whose state is lost, or whose sequences are broken up in training, still trains without an error
    and behaves like a feed-forward one. It costs time for no benefit.

    ## What to do
    1. Read the two shares. 1 and 0, or 0.5 twice: nothing is remembered. Both wrong: the sign is remembered, but
       learned backwards.
    2. Check that the steps of a sequence stay in order and together: shuffle whole sequences, never their steps.
    3. Start each training sequence with the state that was stored when it was collected, or at the beginning of an
       episode, and do not detach it within the two steps that matter.
    4. Check that `act` keeps the state between calls in evaluation too, and not only in the collector.

    ## How to prove it
    `weaklink probe TRAINER --only memory` after the change: right after both signs.

    ## When it is wrong
    Agents without memory: leave `train.remembers` unset, and the rung is skipped. Memory needs more updates than the
    rungs before; a larger `--steps` shows it. An agent that keeps its state outside of `act` must be wrapped so that
    `act` advances it.

    ## References
    Hausknecht and Stone, "Deep Recurrent Q-Learning", arXiv 1507.06527; Kapturowski et al., "Recurrent Experience
    Replay" (R2D2), 2019; Huang et al., "The 37 Implementation Details of Proximal Policy Optimization", 2022 (LSTM);
    practice.
    """
    return broken(
        outcome,
        "memory",
        Link.DATA,
        "the recurrent state does not carry the observation, or sequences are broken up",
        "how sequences are cut, ordered and initialised, and whether `act` keeps the state",
    )
