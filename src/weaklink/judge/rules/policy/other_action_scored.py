from __future__ import annotations

from weaklink.base.evidence.recovered import RecoveredPolicy, RecoveredValues
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# fewer rows may be told from others by chance
FEWEST_ROWS = 32

# a loss that scores single actions explains nearly every row; one that averages over actions explains few
NEARLY_ALL = 0.95


@rule(
    "POL204",
    link=Link.POLICY,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "POL301", "POL302", "POL303", "POL304", "EXP301", "EXP303", "VAL301", "VAL302", "REW301", "REW302", "REW304",
    ),
)  # fmt: skip
def other_action_scored(rollout: Rollout, *, share: float = 0.2) -> Answer:
    """The loss scores another action than the one that was taken.

    ## What it sees
    The gradient at the outputs of the network. A policy's loss moves the logits along the one action that it scores,
    and a loss on action values moves one entry. Both are compared with the action that the environment was given in
    that row: in more than `share` of the rows it is another one. Action values that are all pulled towards one target
    count as well. Where the action of the step before or after explains nearly all rows, that is said; so is it where
    each action is always scored as one certain other, as after a cast, and where the actions of a rollout are the right
    ones in another order. With two choices only the order tells: put right, the weights follow the advantages exactly.

    ## Why it is bad
    What an action earned is credited to another action. The policy learns noise, and the loss looks as usual.

    ## What to do
    1. Use the stored actions in the update; do not sample anew while learning.
    2. Draw observations, actions and rewards of a minibatch with one and the same index, and flatten them alike.
    3. Store actions in their own dtype; a boolean or a clipped array makes one action of several.
    4. Select the value of the taken action, `q.gather(1, actions)`, before the loss.

    ## How to prove it
    Print the action of one row in the rollout and in the loss.

    ## When it is wrong
    Losses that average over all actions, imitate an expert, or relabel actions do not score single actions; then few
    rows fit and nothing is reported. With two choices a policy's gradient fits either action, so that single rows are
    not judged.

    ## References
    Mnih et al., Human-level control through deep reinforcement learning (2015), the loss of DQN; Huang et al., The 37
    implementation details of proximal policy optimization (2022).
    """
    part = rollout.recovered
    if part is None:
        return CannotTell(("recovered",))
    found = [_judge_values(each, share) for each in part.values]
    found += [_judge_policy(each, share) for each in part.policies]
    answers = [each for each in found if not isinstance(each, CannotTell)]
    if not answers:
        return CannotTell(("recovered",), "no head tells which action its loss scores")
    return answer_with(each for each in answers if each is not None)


def _judge_values(part: RecoveredValues, share: float) -> Finding | CannotTell | None:
    if part.compared >= FEWEST_ROWS and part.other > share:
        if part.lag:  # the rows hold the action of another step, which DAT206 reports
            return None
        other = "moves the value of another action than the one taken"
        words = "pulls the values of all actions towards one target" if part.all_alike else other
        if part.largest:
            words += ", always the largest one: the prediction is the maximum over the actions"
        if part.preferred:
            words += ", the one that the network preferred: it is stored where another one was tried out"
        link = Link.ACTION if part.preferred else Link.VALUE
        return _describe(part.head, part.other, part.compared, words, link, share)
    return None if part.compared >= FEWEST_ROWS else CannotTell(("recovered",))


def _judge_policy(part: RecoveredPolicy, share: float) -> Finding | CannotTell | None:
    if part.order:
        words = f"scores the actions of the rollout in another order ({part.order})"
        rows = part.compared or part.weighed
        return _describe(part.head, part.other if part.compared else 1.0, rows, words, Link.DATA, share)
    if part.compared < FEWEST_ROWS or part.explained < NEARLY_ALL:
        return CannotTell(("recovered",))
    if part.other <= share:
        return None
    link, words = Link.POLICY, "scores another action than the one taken"
    if part.lag:
        when = "before" if part.lag < 0 else "after"
        link, words = Link.DATA, f"scores the action of the step {when} the one that its observation was seen at"
    elif part.recoded:
        pairs = ", ".join(f"{taken} as {scored}" for taken, scored in part.recoded)
        link, words = Link.ACTION, f"scores another action than the one taken, always the same one: {pairs}"
    return _describe(part.head, part.other, part.compared, words, link, share)


def _describe(head: str, part: float, rows: int, words: str, link: Link, share: float) -> Finding:
    return Finding(
        message=f"In {part:.0%} of {rows:,} rows the loss at {head} {words}.",
        link=link,
        confidence=HIGH,
        evidence=(Evidence(metric="rows with another action", value=part, limit=share),),
    )
