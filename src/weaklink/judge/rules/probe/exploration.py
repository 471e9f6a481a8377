from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._broken import broken


@rule("PRB114", link=Link.EXPLORATION, level=Level.ERROR, on=Outcome, needs=("exploration",))
def exploration(outcome: Outcome) -> Answer:
    """What does not pay at once is not found.

    ## What it sees
    Leaving at once pays 0.1; three right actions in a row pay 1, and nothing in between. By chance one try in eight
    succeeds. The trained agent must take the right action at every step that it has seen, in at least 90 % of the
    asks, on nearly every seed.

    ## Why it is bad
    The rungs before show that credit and update work. Who fails here stops trying before it has found anything: the
    policy becomes sure too soon, or epsilon falls before the first success.

    ## What to do
    1. Look at the shares: wrong at the first step alone means that it settles for the small reward; see how many
       distinct actions it took at the beginning.
    2. Epsilon-greedy: start near 1 and spread the decay over a good part of the training.
    3. Policies that are drawn from: check the sign of the entropy bonus (it is added to what is maximised), raise its
       weight, lower the learning rate, and begin near uniform with a small last layer.
    4. Fill the buffer at random before the first update, and see that actions are drawn, not the most likely ones
       taken.

    ## How to prove it
    `weaklink probe TRAINER --only exploration` after the change: the way to the large reward is taken.

    ## When it is wrong
    A budget in which three right actions in a row hardly occur, or a decay of epsilon made for millions of steps.
    On-policy trainers with a large learning rate may settle for the small reward with honest bad luck; more seeds
    tell. A discount below about 0.32 makes leaving at once the better choice.

    ## References
    Andrychowicz et al., "What Matters in On-Policy Reinforcement Learning?", arXiv 2006.05990 (initial policy);
    muPRL; practice.
    """
    return broken(
        outcome,
        "exploration",
        Link.EXPLORATION,
        "it settles for the small reward before it has found the large one",
        "the schedule of epsilon, the sign and weight of the entropy bonus, and whether actions are drawn",
    )
