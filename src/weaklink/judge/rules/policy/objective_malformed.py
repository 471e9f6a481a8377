from __future__ import annotations

from collections.abc import Iterator

from weaklink.base.evidence.flaw_kinds import ACROSS_ACTIONS, ACROSS_ROWS, OTHER_MASK
from weaklink.base.evidence.recovered import RecoveredFlaw, RecoveredPolicy
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.base.reference.remedies import REMEDIES
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

ACROSS = {
    ACROSS_ROWS: (
        Link.POLICY,
        "rows of each minibatch",
        "actions of a row",
        "Take the softmax over the actions: `log_softmax(logits, dim=-1)`.",
    ),
    ACROSS_ACTIONS: (
        Link.VALUE,
        "actions of each atom",
        "atoms of an action",
        "Take the softmax of a value distribution over its atoms: each action has a distribution of its own.",
    ),
}

SWAPPED, ALONE = "clip minimum and maximum swapped", "clipped term alone, no minimum"


@rule(
    "POL206",
    link=Link.POLICY,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "OPT205", "POL301", "POL302", "POL303", "POL304", "EXP301", "EXP302", "EXP303", "REW301", "REW302", "REW303",
        "REW304",
    ),
)  # fmt: skip
def objective_malformed(rollout: Rollout, *, share: float = 0.5) -> Answer:
    """The policy's objective is put together wrongly: its clipping, its log-probabilities or its softmax.

    ## What it sees
    The weight of every row in the policy's loss, read off its gradient, beside its ratio and its advantage. Rows beyond
    the clip range lose their weight where their advantage drives them further out, and keep it where it drives them
    back: reported is the opposite, and rows that lose it on both sides (`share` of them), or before the first step,
    where their advantages are the largest. Also a ratio of log-probabilities that were averaged over the dimensions of
    an action, on both sides or on one, a ratio without the stored log-probability or with one of another action, or one
    that is computed anew in between the epochs, one of several choices of an action that the loss does not score,
    actions that a mask closes when acting and not in the loss, and probabilities taken for logits, each where it
    explains the gradients to the last digits and the right reading does not. A softmax over the rows of a minibatch, or
    over the actions of a value distribution instead of its atoms, is seen in gradients that add up to zero over these.

    ## Why it is bad
    A clip on the wrong side pushes policies that went too far even further. Averaged log-probabilities make ratios
    closer to 1 than they are, so clipping and KL see less than happens. A second softmax keeps every policy
    close to uniform: with three actions none becomes likelier than 58 %.

    ## What to do
    1. Take the minimum of the clipped and of the plain term, or the maximum of both losses.
    2. Add up log-probabilities over the dimensions of an action.
    3. Give `Categorical` logits, or probabilities as `probs`; take a softmax over the last dimension.

    ## How to prove it
    Evaluate the loss of one row by hand: with a ratio of 2 and an advantage of -1 it must still have a gradient.

    ## When it is wrong
    Fewer than three rows beyond the clip range on either side are not judged.

    ## References
    Schulman et al., Proximal policy optimization algorithms (2017), equation 7; Huang et al., The 37 implementation
    details of proximal policy optimization (2022).
    """
    part = rollout.recovered
    across = [each for each in part.flaws if each.kind in ACROSS] if part is not None else []
    if part is None or not (part.policies or across):
        return CannotTell(("recovered",), "no policy's loss could be read")
    masked = [_describe_masked(each) for each in part.flaws if each.kind == OTHER_MASK]
    found = [finding for each in part.policies for finding in _judge(each, share)]
    return answer_with([*map(_describe_across, across), *masked, *found])


def _describe_across(flaw: RecoveredFlaw) -> Finding:
    link, summed, instead, fix = ACROSS[flaw.kind]
    return Finding(
        message=f"What the loss asks of the logits at {flaw.head} adds up to zero over the {summed}, and "
        f"not over the {instead} ({flaw.count:,} rows): the softmax runs over the wrong dimension.",
        link=link,
        confidence=HIGH,
        fix=(fix,),
        evidence=(Evidence(metric=flaw.kind, value=float(flaw.count), limit=0.0),),
    )


def _describe_masked(flaw: RecoveredFlaw) -> Finding:
    return Finding(
        message="The policy never takes an action that the environment's mask closes, though its logits would have it "
        f"do so some {flaw.number:,.0f} times, and the loss at {flaw.head} moves closed actions in {flaw.count:,} of "
        f"{flaw.of:,} rows: the mask is applied when acting and not in the update, so that log-probabilities and "
        "entropy are those of another policy.",
        confidence=HIGH,
        fix=("Store the mask of each step, and apply it to the logits in the update as it is applied when acting.",),
        evidence=(Evidence(metric="rows in which closed actions are moved", value=flaw.count / flaw.of, limit=0.5),),
    )


def _judge(part: RecoveredPolicy, share: float) -> Iterator[Finding]:
    if part.clipped is not None and part.clipped[1] > share:
        name = SWAPPED if part.clipped[0] < share else ALONE
        yield Finding(
            message=f"In the loss at {part.head} {part.clipped[1]:.0%} of the rows beyond the clip range that their "
            f"advantage drives back have no gradient, and {part.clipped[0]:.0%} of those that it drives further out "
            f"({name}).",
            confidence=HIGH,
            fix=(REMEDIES[name],),
            evidence=(Evidence(metric="rows without a gradient", value=part.clipped[1], limit=share),),
        )
    if part.ratio:
        low, high = part.ratio_range
        yield Finding(
            message=f"For the ratio in the loss at {part.head} log-probabilities are {part.ratio}. Before the first "
            f"optimizer step it is between {low:.3g} and {high:.3g} in nine rows of ten, where it should be 1.",
            confidence=HIGH,
            fix=("Make both log-probabilities of a ratio in the same way, and subtract the stored one.",),
            evidence=(Evidence(metric="ratio before the first step", value=high, limit=1.0),),
        )
    if part.capped:
        yield Finding(
            message=f"Before the first optimizer step, when every ratio is 1, {part.capped:,} rows of a minibatch have "
            f"no gradient in the loss at {part.head}: those with the largest advantages. The ratio times the advantage "
            "is clipped, and not the ratio: the better an action was, the less is learned from it.",
            confidence=HIGH,
            fix=("Clip the ratio alone, then multiply by the advantage: `clamp(ratio, 1 - c, 1 + c) * advantage`.",),
            evidence=(Evidence(metric="rows without a gradient at a ratio of 1", value=float(part.capped), limit=0.0),),
        )
    if part.renewed is not None:
        low, high = part.renewed
        yield Finding(
            message=f"The stored log-probabilities in the loss at {part.head} are taken anew from the policy that "
            "learns, in between its epochs: the ratio begins at 1 again each time, although that to the policy that "
            f"acted is between {low:.3g} and {high:.3g} in nine rows of ten. Clipping limits single epochs alone.",
            level=Level.WARN,
            confidence=HIGH,
            fix=("Compute the old log-probabilities once, while collecting, and keep them in every epoch.",),
            evidence=(Evidence(metric="ratio to the policy that acted", value=high, limit=1.0),),
        )
    if part.averaged:
        yield Finding(
            message=f"The ratio in the loss at {part.head} is that of log-probabilities averaged over the dimensions "
            "of an action, not added up: it is closer to 1 than the policies are to each other.",
            level=Level.WARN,
            confidence=HIGH,
            fix=("Sum log-probabilities over the dimensions of an action, while collecting and in the update.",),
            evidence=(Evidence(metric="averaged log-probabilities", value=1.0, limit=0.0),),
        )
    if part.unscored:
        yield Finding(
            message=f"The loss at {part.head} does not score {part.unscored} of the choices that an action is made of: "
            "only an entropy bonus, if anything, moves their logits, so that they stay as random as they are.",
            confidence=HIGH,
            fix=("Add up the log-probabilities of all choices of an action, while collecting and in the update.",),
            evidence=(Evidence(metric="choices without a score", value=float(part.unscored), limit=0.0),),
        )
    if part.stored_other:
        yield Finding(
            message=f"For {part.stored_other:.0%} of the rows in the loss at {part.head} the stored log-probability is "
            "that of another action than the one that was taken, as where one is drawn to be given to the environment "
            "and another one for its log-probability: ratios begin anywhere but at 1.",
            confidence=HIGH,
            fix=("Draw an action once, and store it, its log-probability and what env.step gave for it together.",),
            evidence=(Evidence(metric="log-probabilities of other actions", value=part.stored_other, limit=0.0),),
        )
    if part.twice:
        yield Finding(
            message=f"The loss at {part.head} takes probabilities for logits: a softmax is applied twice, so that no "
            "action can become much likelier than the others.",
            confidence=HIGH,
            fix=("Hand the outputs to Categorical as logits, without a softmax before.",),
            evidence=(Evidence(metric="softmax applied twice", value=1.0, limit=0.0),),
        )
