from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.judge.rules.probe._broken import broken
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB114", link=Link.EXPLORATION, level=Level.ERROR, on=Outcome, needs=("exploration",))
def exploration(outcome: Outcome) -> Answer:
    """A delayed larger reward is not found.

    ## What it sees
    Leaving at once pays 0.1; three right actions in a row pay 1, with nothing in between. A random policy succeeds once
    in eight episodes. The trained agent must take the right action at every step that it has visited, in at least 90 %
    of the queries, on nearly every seed.

    ## Why it is bad
    The rungs before show that credit assignment and the update work. A trainer that fails here stops exploring too
    early: the policy becomes deterministic, or epsilon decays, before the first success.

    ## What to do
    1. Look at the shares: wrong at the first step only means that it settles for the small reward; see how many
       distinct actions it took at the beginning.
    2. Epsilon-greedy: start near 1 and spread the decay over a good part of the training.
    3. Stochastic policies: check the sign of the entropy bonus (it is added to what is maximised), raise its
       coefficient, lower the learning rate, and start near uniform with a small last layer.
    4. Fill the buffer with random actions before the first update, and check that actions are sampled and not greedy.

    ## How to prove it
    `weaklink probe TRAINER --only exploration` after the change: the agent takes the way to the large reward.

    ## When it is wrong
    A budget in which three right actions in a row hardly occur, or an epsilon schedule made for millions of steps.
    On-policy trainers with a large learning rate may settle for the small reward by bad luck; more seeds show that. A
    discount below about 0.32 makes leaving at once the better choice.

    ## References
    Andrychowicz et al., "What Matters in On-Policy Reinforcement Learning?", arXiv 2006.05990 (initial policy); muPRL;
    practice.
    """
    return broken(
        outcome,
        "exploration",
        Link.EXPLORATION,
        "it settles for the small reward before it has found the large one",
        "the schedule of epsilon, the sign and coefficient of the entropy bonus, and whether actions are sampled",
    )
