from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB108", link=Link.DATA, level=Level.ERROR, on=Outcome, needs=("vector-pairing",))
def vector_pairing(outcome: Outcome) -> Answer:
    """Rows of different members of a vector environment are mixed up.

    ## What it sees
    Every environment shows its index and a sign, and pays its own factor (1, -1, 0.5 or -0.5) times the sign, in
    one-step episodes. Each of the eight values must come within 0.25 of its reward, on nearly every seed.

    ## Why it is bad
    A rollout has two axes, time and environment. A reshape without a transpose, or the flags of one member used for
    another, pairs observations with returns of other members. Simple tasks with identical members hide it; they only
    train slower.

    ## What to do
    1. The wrong values show whose rewards a member learns: the value of another member points to the order of members,
       all near 0 to a random mix, half values with the wrong sign to rows that are off by one step.
    2. Wherever (T, N) becomes one axis, flatten all arrays the same way: swap the axes of all of them first, or of
       none.
    3. Broadcasting: a reward or flag of shape (N,) against (N, 1) becomes (N, N).
    4. Where members may finish out of order (asynchronous workers), use the indices that come with the data.

    ## How to prove it
    `weaklink probe TRAINER --only vector-pairing` after the change: each member must have its own values. Make more
    than one environment, or nothing is proven.

    ## When it is wrong
    A trainer that makes one environment has one member only, and only that is judged. Eight values need more updates
    than two; a larger `--steps` separates slow from wrong. Rewards normalised per member give other numbers by design.

    ## References
    Huang et al., "The 37 Implementation Details of Proximal Policy Optimization", 2022 (the vectorised architecture);
    practice.
    """
    return broken(
        outcome,
        "vector-pairing",
        Link.DATA,
        "rows of several environments are mixed up",
        "every reshape between (time, environment) and one axis, and shapes (N,) against (N, 1)",
    )
