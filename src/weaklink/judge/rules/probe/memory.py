from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB112", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("memory",))
def memory(outcome: Outcome) -> Answer:
    """What was seen two steps ago is not used.

    ## What it sees
    A sign is shown, then nothing, then one may act: right is the sign of two steps before. A memoryless agent is
    right half of the time; a recurrent one must be right in at least 90 % of the asks after both signs, on nearly
    every seed. `reset()` is called before each episode and `act` carries the state on.

    ## Why it is bad
    A recurrent network whose state is lost, or whose sequences are cut up in training, still trains without an error
    and behaves like one without memory. It costs time and brings nothing.

    ## What to do
    1. Read the two shares. 1 and 0, or two halves: nothing is remembered. Both wrong: the sign is carried, but
       learned backwards.
    2. See that steps of a sequence stay in order and together: shuffle whole sequences, never their steps.
    3. Start each training sequence with the state that was stored when it was collected, or at an episode's
       beginning, and do not detach inside of it over the two steps that matter.
    4. See that `act` keeps the state between calls when the agent is used, and not only in the collector.

    ## How to prove it
    `weaklink probe TRAINER --only memory` after the change: right after both signs.

    ## When it is wrong
    Agents without memory: leave `train.remembers` unset, and the rung is left out. Memory needs more updates than
    anything before; `--steps` tells. An agent that keeps its state outside of `act` must be wrapped so that `act`
    advances it.

    ## References
    Hausknecht and Stone, "Deep Recurrent Q-Learning", arXiv 1507.06527; Kapturowski et al., "Recurrent Experience
    Replay" (R2D2), 2019; Huang et al., "The 37 Implementation Details of Proximal Policy Optimization", 2022 (LSTM);
    practice.
    """
    return broken(
        outcome,
        "memory",
        Link.DATA,
        "the recurrent state does not carry what was seen, or sequences are cut up",
        "how sequences are cut, ordered and given their first state, and whether `act` keeps the state",
    )
