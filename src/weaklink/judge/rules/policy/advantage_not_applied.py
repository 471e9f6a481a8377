from __future__ import annotations

from weaklink.base.evidence.recovered import ACTION_CRITIC, ACTION_VALUES, RecoveredPolicy, RecoveredUpdate
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# fewer rows correlate with anything
FEWEST_ROWS = 64

# a loss that leaves more of its gradients does not weigh the actions that were taken
EXPLAINED = 1e-2

OF_ACTIONS = (ACTION_CRITIC, ACTION_VALUES)

FLIP = (
    "Flip the sign where the advantages or the loss are computed: an advantage is the return minus the value, and the "
    "loss minus the log-probability times the advantage."
)


@rule(
    "POL205",
    link=Link.POLICY,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "POL301", "POL302", "POL303", "POL304", "POL308", "EXP301", "EXP302", "EXP303", "EXP306", "VAL301", "REW301",
        "REW302", "REW303", "REW304",
    ),
)  # fmt: skip
def advantage_not_applied(rollout: Rollout, *, flipped: float = 0.9, unrelated: float = 0.3) -> Answer:
    """The policy's loss weighs actions with something else than the advantages of their own rows.

    ## What it sees
    How strongly the loss makes each taken action likelier, read off its gradient, beside the advantages that follow
    from the critic's targets or from rewards and values with any usual lambda. Reported are weights that follow them
    with the opposite sign (a correlation below -`flipped`), weights that are one number in all rows, and weights that
    follow none of them (below `unrelated`) and change at random whenever the same row comes back. An actor that climbs
    a critic is reported where its loss falls as the value of its own reward critic falls.

    ## Why it is bad
    The policy is pushed away from what was good, towards whatever it did, or at random.

    ## What to do
    1. Minimise minus the log-probability (or the ratio) times the advantage.
    2. Draw advantages and observations of a minibatch with one and the same index, and keep their order.
    3. Check that the advantages reach the loss, and have the shape of the log-probabilities there.
    4. An actor minimises minus the value of its own action.

    ## How to prove it
    Take one step with a single row whose advantage is 1: the probability of its action must rise.

    ## When it is wrong
    Advantages of another estimator, such as those with a learned bonus, follow their rows in every epoch and are not
    reported. Cloning actions on purpose has one weight for all rows.

    ## References
    Williams, Simple statistical gradient-following algorithms (1992); Schulman et al., Proximal policy optimization
    algorithms (2017); Lillicrap et al., Continuous control with deep reinforcement learning (2016), equation 6.
    """
    part = rollout.recovered
    if part is None:
        return CannotTell(("recovered",))
    judged = [each for each in part.policies if _is_known(each)]
    if not judged and not part.climbs:
        return CannotTell(("recovered",), "no policy's weights could be compared with advantages")
    found = [_judge_policy(each, flipped, unrelated) for each in judged] + [_judge_climbs(part)]
    return answer_with(each for each in found if each is not None)


def _is_known(part: RecoveredPolicy) -> bool:
    explained = part.unexplained is None or part.unexplained < EXPLAINED
    return explained and part.weighed >= FEWEST_ROWS and part.correlation is not None


def _judge_policy(part: RecoveredPolicy, flipped: float, unrelated: float) -> Finding | None:
    correlation = part.correlation or 0.0
    if correlation < -flipped:
        words = "follow the advantages of their rows with the opposite sign"
        return _describe(part, words, HIGH, -flipped, (FLIP,))
    if abs(correlation) >= unrelated and not part.constant:
        return None
    if part.constant:
        return _describe(part, "are one number in all rows: the advantages have no part in it", MEDIUM, unrelated)
    if part.repeated is not None and part.repeated < unrelated:
        words = f"do not belong to their rows: a row gets another one each time (correlation {part.repeated:.2f})"
        return _describe(part, words, HIGH, unrelated)
    return None


def _judge_climbs(part: RecoveredUpdate) -> Finding | None:
    """An actor that goes down a critic whose targets are made of the rewards as they are."""
    learned = {each.head for each in part.values if each.kind in OF_ACTIONS and (each.gamma or 0.0) > 0.0}
    down = [each for each in part.climbs if each.head in learned and each.weight > 0.0]
    if not down or any(each.weight < 0.0 for each in part.climbs):
        return None
    worst = down[0]
    return Finding(
        message=f"The actor's loss falls as the value at {worst.head} falls (weight {worst.weight:.3g} a row): it "
        "looks for the worst action of its critic.",
        confidence=HIGH,
        fix=("Minimise minus the critic's value of the actor's own action.",),
        evidence=(Evidence(metric="weight of the critic in the actor's loss", value=worst.weight, limit=0.0),),
    )


def _describe(part: RecoveredPolicy, words: str, sure: float, limit: float, fix: tuple[str, ...] = ()) -> Finding:
    seen = part.correlation or 0.0
    return Finding(
        message=f"The weights of {part.weighed:,} rows in the loss at {part.head} {words} (correlation with the "
        f"advantages {seen:.2f}).",
        confidence=sure,
        fix=fix,
        evidence=(Evidence(metric="correlation of weights and advantages", value=seen, limit=limit),),
    )
