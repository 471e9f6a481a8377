from __future__ import annotations

import math

from weaklink.base.evidence.recovered import (
    BONUS_ALONE,
    CARRIED,
    FIRST_VALUE,
    LAST,
    LEAKED,
    LIMIT,
    NEXT_RETURN,
    NEXT_VALUE,
    NOTHING,
    OWN_NEXT,
    OWN_VALUE,
    TERMINAL,
    RecoveredEnd,
    RecoveredPolicy,
    RecoveredValues,
)
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.base.reference.remedies import REMEDIES
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FROM_FIRST = "bootstrap from the first observation of the rollout"

# what a target must not go on with, by place: the name of the mistake, and how bad it is
WRONG: dict[tuple[str, str], tuple[str, Level]] = {
    (TERMINAL, OWN_NEXT): ("bootstrap through a terminal", Level.ERROR),
    (TERMINAL, NEXT_VALUE): ("bootstrap through a terminal", Level.ERROR),
    (TERMINAL, NEXT_RETURN): ("done ignored", Level.ERROR),
    (TERMINAL, CARRIED): ("advantage carried across an episode's end", Level.ERROR),
    (TERMINAL, LEAKED): ("advantage carried across an episode's end", Level.ERROR),
    (TERMINAL, OWN_VALUE): ("bootstrap from s instead of s'", Level.ERROR),
    (TERMINAL, BONUS_ALONE): ("entropy bonus outside of the done mask", Level.ERROR),
    # done on purpose too, and its harm depends on how many episodes reach their limit
    (LIMIT, NOTHING): ("truncation treated as termination", Level.WARN),
    (LIMIT, NEXT_VALUE): ("bootstrap from the next episode at a time limit", Level.WARN),
    (LIMIT, NEXT_RETURN): ("done ignored", Level.ERROR),
    (LIMIT, CARRIED): ("advantage carried across an episode's end", Level.ERROR),
    (LIMIT, LEAKED): ("advantage carried across an episode's end", Level.ERROR),
    (LAST, OWN_VALUE): ("bootstrap from s instead of s'", Level.ERROR),
    (LAST, FIRST_VALUE): (FROM_FIRST, Level.ERROR),
    (LAST, NOTHING): ("no bootstrap at the last step", Level.ERROR),
}

# RET202 recomputes the targets of a replayed batch, and names these by itself
OF_REPLAY = ((TERMINAL, OWN_NEXT), (LIMIT, NOTHING))

OWN_LAST = "Bootstrap a truncated step from the value of its own final observation, not from that of the next row."

CURES = {**REMEDIES, FROM_FIRST: REMEDIES["no bootstrap at the last step"]}


@rule(
    "RET203",
    link=Link.RETURNS,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "RET201", "RET202", "VAL202", "VAL301", "VAL302", "VAL304", "VAL305", "RET301", "RET302", "POL301", "POL302",
        "EXP301", "EXP303", "REW301", "REW302", "REW304",
    ),
)  # fmt: skip
def wrong_continuation(rollout: Rollout, *, rare: float = 0.1) -> Answer:
    """Targets bootstrap from the wrong value where an episode or a rollout ends.

    ## What it sees
    The target of every row, read off the gradient of the critic's loss. Its reward taken off, what is left is what the
    target goes on with. At terminals, at time limits and at the last step of a rollout this is compared with all that
    stood at hand: nothing, the value of the observation that followed, the value or return of the next episode, the
    step's own value, that of the first step, an entropy bonus. The one that fits in every such row is named. So are the
    advantages of a policy's loss, where they follow the critic's in all rows but those at ends.

    ## Why it is bad
    The rows at ends are few, so losses and curves look as usual. But all values of an episode hang on its end: a
    terminal that goes on makes ending worth as much as living, a time limit that stops makes good states look bad.

    ## What to do
    1. A terminal step goes on with nothing, and neither does a running sum or an entropy bonus.
    2. A step that a time limit cut goes on with the value of its own last observation (`final_obs` of a vector).
    3. The last step of a rollout goes on with the value of the observation after it.

    ## How to prove it
    Take one row of the kind in the message, and compute reward + gamma x (what it should go on with).

    ## When it is wrong
    Time limits taken for ends are right where the time is part of the observation, and harmless where few episodes
    reach them: they are reported where they are more than `rare` of the ends. Fewer than three rows of a kind, and rows
    that fit two things at once, are not judged.

    ## References
    Pardo et al., Time limits in reinforcement learning (2018); CleanRL pull requests #448 and #494 and issue #460;
    Stable-Baselines3 issue #76 and pull request #185.
    """
    part = rollout.recovered
    judged: list[tuple[RecoveredValues | RecoveredPolicy, RecoveredEnd]] = []
    if part is not None:
        judged += [(each, end) for each in part.values for end in each.ends]
        judged += [(each, end) for each in part.policies for end in each.ends]
    if rollout.targets is not None and rollout.targets.exact:
        judged = [(each, end) for each, end in judged if (end.place, end.goes_on_with) not in OF_REPLAY]
    if not judged:
        return CannotTell(("recovered",), "what targets go on with at ends could not be read")
    return answer_with(each for each in (_judge(*pair, rare) for pair in judged) if each is not None)


def _judge(part: RecoveredValues | RecoveredPolicy, end: RecoveredEnd, rare: float) -> Finding | None:
    wrong = WRONG.get((end.place, end.goes_on_with))
    ends = sum(each.rows for each in part.ends if each.place != LAST)
    if wrong is None or (end.place == LIMIT and end.rows <= rare * ends):
        return None
    name, level = wrong
    gamma = part.gamma if isinstance(part, RecoveredValues) else None
    rate = "" if gamma is None or end.goes_on_with == NOTHING else f" with gamma {gamma:.4g}"
    what = "targets" if isinstance(part, RecoveredValues) else "advantages of the policy's loss"
    instance = f": for instance a reward of {end.reward:.4g} has the target {end.target:.4g}."
    return Finding(
        message=f"At each {end.place} ({end.rows:,} rows) the {what} at {part.head} go on with {end.goes_on_with}"
        f"{rate} ({name}){'.' if math.isnan(end.target) else instance}",
        level=level,
        confidence=HIGH,
        fix=(CURES.get(name, OWN_LAST),),
        evidence=(_show(end),),
    )


def _show(end: RecoveredEnd) -> Evidence:
    """The target of an instance beside its reward; of a distribution, whose units are not known, the rows."""
    if math.isnan(end.target):
        return Evidence(metric="rows that go on", value=float(end.rows), limit=0.0)
    return Evidence(metric="target", value=end.target, limit=end.reward)
