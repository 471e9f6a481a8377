from __future__ import annotations

from collections.abc import Iterator

from weaklink.base.evidence.flaw_kinds import NOT_LIMITED
from weaklink.base.evidence.recovered import RecoveredGradients, RecoveredUpdate
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import answer_with
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "OPT204",
    link=Link.OPTIMIZER,
    level=Level.ERROR,
    on=Rollout,
    needs=("recovered",),
    leads_to=(
        "OPT302", "OPT303", "VAL202", "VAL301", "VAL302", "VAL304", "VAL305", "POL301", "POL302", "POL308", "EXP301",
        "EXP303", "REW301", "REW302", "REW303", "REW304",
    ),
)  # fmt: skip
def other_gradient_applied(rollout: Rollout, *, share: float = 0.5) -> Answer:
    """Optimizers step with another gradient than that of their losses, or leave out a network that these ask for.

    ## What it sees
    What the losses ask of the outputs of each head, and the gradient that its bias has when the optimizer steps: the
    sum of the former, clipped or not. Reported are steps whose gradient also holds that of the step before or what an
    actor's loss left in its critic, steps whose gradient is zero although something was asked (each in more than
    `share` of the steps), heads that a loss asks something of in the rows that others learn from while no optimizer
    moves them, parameters beside the layers of a network (a `log_std`) of which the same holds, and gradients that
    `clip_grad_norm_` was called for and that are longer than its limit all the same.

    ## Why it is bad
    Gradients that are never set to zero add up over the whole training, so every step goes where the first ones went.
    Without a gradient, or without an optimizer, a network stays as it was made, and losses still look alive.

    ## What to do
    1. Call `zero_grad`, `backward`, clipping, `step` in this order, once for each step.
    2. Hand the parameters of every network that learns to an optimizer, after the networks are made.

    ## How to prove it
    Print the norm of the gradient right before `step`, twice in a row, with the same minibatch: it must be the same.

    ## When it is wrong
    Gradients that are accumulated over several minibatches on purpose belong to one step and are not reported. Steps
    that compute their gradients in a closure, and gradients that several ranks average, are not compared. A network
    that is fixed on purpose, and that another one is compared with, is not reported.

    ## References
    PyTorch documentation, `torch.optim.Optimizer.zero_grad`; Jones, Debugging reinforcement learning systems (2021).
    """
    part = rollout.recovered
    if part is None or not (part.gradients or part.unmoved or NOT_LIMITED in part.looked):
        return CannotTell(("recovered",), "no head tells what its optimizer steps with")
    return answer_with([*_judge_gradients(part, share), *_judge_unmoved(part), *_judge_limits(part)])


def _judge_gradients(part: RecoveredUpdate, share: float) -> Iterator[Finding]:
    cleared = [each for each in part.gradients if each.cleared > share]
    if cleared:
        yield _describe(
            cleared[0],
            cleared[0].cleared,
            "is zero when the optimizer steps, although the losses asked for something: no weight moves",
            "Call zero_grad before backward, not between backward and step.",
            share,
        )
    leaked = [each for each in part.gradients if each.leaked > share]
    if leaked:
        yield _describe(
            leaked[0],
            leaked[0].leaked,
            "also holds what the loss of an actor asked of it on its way to the actor",
            "Set the critic's gradients to zero right before the backward pass of its own loss.",
            share,
        )
    kept = [each for each in part.gradients if each.kept > share and each not in leaked]
    if kept:
        yield _describe(
            kept[0],
            kept[0].kept,
            "also holds that of the step before: it is never set to zero",
            "Call zero_grad before every backward.",
            share,
        )


def _describe(part: RecoveredGradients, seen: float, words: str, fix: str, share: float) -> Finding:
    return Finding(
        message=f"In {seen:.0%} of {part.steps:,} optimizer steps the gradient of {part.head} {words}.",
        confidence=HIGH,
        fix=(fix,),
        evidence=(Evidence(metric="steps with another gradient", value=seen, limit=share),),
    )


def _judge_unmoved(part: RecoveredUpdate) -> Iterator[Finding]:
    if part.unmoved:
        heads = ", ".join(part.unmoved)
        yield Finding(
            message=f"A loss asks something of {heads}, but no optimizer that steps holds its weights: it stays as it "
            "was made.",
            confidence=HIGH,
            fix=("Hand its parameters to an optimizer, and step that one after the backward pass of its loss.",),
            evidence=(Evidence(metric="heads without an optimizer", value=float(len(part.unmoved)), limit=0.0),),
        )


def _judge_limits(part: RecoveredUpdate) -> Iterator[Finding]:
    for flaw in (each for each in part.flaws if each.kind == NOT_LIMITED):
        yield Finding(
            message=f"In {flaw.count:,} of {flaw.of:,} optimizer steps the gradient is longer than the limit that it "
            f"was clipped to: {flaw.other:.4g} where clip_grad_norm_ was called with {flaw.number:.4g}.",
            level=Level.WARN,
            confidence=HIGH,
            fix=("Call clip_grad_norm_ after backward and right before step, for the parameters that are stepped.",),
            evidence=(Evidence(metric="norm of a clipped gradient", value=flaw.other, limit=flaw.number),),
        )
