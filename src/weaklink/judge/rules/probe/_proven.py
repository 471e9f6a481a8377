"""What was read of the updates, as the cause of a rung that fails."""

from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome
from weaklink.base.loop import Link
from weaklink.judge.rules.probe._cause import Cause
from weaklink.judge.rules.writing import Finding, Level

TARGETS_READ = frozenset(("RET202",))
WEIGHTS_READ = frozenset(("RET201", "POL205"))
"""The rules that pass where the targets of the critic, and the weights of the policy's loss, were read and are right.

They compare with what the environments gave, so that no mistake in computing them is left to guess at.
"""


def are_targets_right(outcome: Outcome) -> bool:
    """Whether the targets were read and are what rewards, ends and values give."""
    return set(outcome.checked) >= TARGETS_READ


def are_weights_right(outcome: Outcome) -> bool:
    """Whether the policy's loss was read and weighs each action with its advantage, which is right too."""
    return set(outcome.checked) >= WEIGHTS_READ


def find_proof(outcome: Outcome, link: Link, *, alone: bool) -> Finding | None:
    """The proven fault that a rung fails by; None where nothing that was read explains it.

    A proven error spoils all that is learned. What is merely a warning is at times done on purpose and harms little; it
    explains a rung about the same link that stands alone.

    Args:
        outcome: the whole climb.
        link: the one that the rung is about.
        alone: whether it stands alone.
    """
    roots = [proof for proof in outcome.proven if proof.consequence_of is None]
    errors = [proof for proof in roots if proof.severity >= Level.ERROR]
    same = [proof for proof in roots if alone and proof.severity >= Level.WARN and proof.link is link]
    return next(iter((*same, *errors)), None)


def explain_by_proof(proof: Finding) -> Cause:
    """The cause that was read."""
    reason = f"that is what {proof.code} {proof.name}, read from its updates, leads to"
    return Cause(proof.link or Link.RETURNS, reason, f"what {proof.code} names", proof.confidence)
