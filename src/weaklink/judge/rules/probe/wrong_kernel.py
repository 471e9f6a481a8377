from __future__ import annotations

import math

from weaklink.base.evidence.kernels import UNCLEAR, WRONG, KernelCheck, KernelChecks
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "PRB301",
    link=Link.RETURNS,
    level=Level.ERROR,
    on=KernelChecks,
    leads_to=("VAL301", "VAL304", "POL304", "EXP301", "REW301", "REW302", "REW303"),
)
def wrong_kernel(kernels: KernelChecks) -> Answer:
    """A function of the trainer does not compute what its name says.

    ## What it sees
    The user's functions for discounting, advantages, targets, losses, divergences, entropies, moments or buffers are
    called on generated cases around resets, terminations, truncations and padding, and compared with the right answer.
    A function that differs is matched against the known mistakes: where one of them gives the same numbers, the message
    says which, and on how many cases.

    ## Why it is bad
    Such a mistake raises no error and often still learns a little. Every training curve looks like badly chosen
    hyper-parameters, and no choice of them fixes it.

    ## What to do
    1. Read the smallest failing case: it is small enough to compute by hand.
    2. Where a mistake is named, make the change that the finding gives for it.
    3. Where none is named, compare line by line with the function of the same name in `weaklink.base.reference`.

    ## How to prove it
    `weaklink probe --kernels module` calls the function again after the change; `weaklink.testing.check_kernel` does
    the same in a test.

    ## When it is wrong
    A function with a convention that the check does not know, above all where `dones[t]` is the flag from before step
    t: call that parameter `episode_starts`, or add the `next_done` that belongs to it. A function that expects rewards
    with the value of the last observation added at time limits treats truncation as termination by design. A result
    that matches neither the right answer nor a known mistake in any case is not called wrong.

    ## References
    Schulman et al., High-Dimensional Continuous Control Using Generalized Advantage Estimation, 2016; Huang et al., The
    37 Implementation Details of Proximal Policy Optimization, 2022; Pardo et al., Time Limits in Reinforcement
    Learning, 2018; Schulman, Approximating KL Divergence, 2020.
    """
    if not kernels.checks:
        return CannotTell(("kernels",), "no kernel was checked")
    wrong = tuple(_finding(check) for check in kernels.checks if check.verdict == WRONG)
    unclear = [check for check in kernels.checks if check.verdict == UNCLEAR]
    if not wrong and unclear:
        return CannotTell(tuple(check.function for check in unclear), unclear[0].note)
    return wrong or None


def _finding(check: KernelCheck) -> Finding:
    known = bool(check.variant or check.raised)
    steps = [step for step in (check.fix, f"Look at {check.look}." if check.look else "") if step]
    evidence = [Evidence(metric=f"{check.kernel} failing cases", value=float(check.failing), limit=0.0)]
    if check.variant:
        evidence.append(Evidence(metric=f"{check.kernel} cases like the mistake", value=float(check.matched)))
    if math.isfinite(check.error):
        evidence.append(Evidence(metric=f"{check.kernel} largest relative error", value=check.error))
    return Finding(
        message=f"{check.told} Smallest failing case: {' '.join(check.smallest.split())}.",
        link=check.link,
        confidence=HIGH if known else MEDIUM,
        evidence=tuple(evidence),
        fix=tuple(steps),
    )
