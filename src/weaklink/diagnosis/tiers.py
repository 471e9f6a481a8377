"""A healthy trainer that learns nothing: reward first, then environment, then task, in this order."""

from __future__ import annotations

from collections.abc import Sequence

from weaklink.evidence.run import Run
from weaklink.finding import Finding, Level
from weaklink.loop import Link

TRAINER = frozenset({Link.DATA, Link.RETURNS, Link.VALUE, Link.POLICY, Link.EXPLORATION, Link.OPTIMIZER})
ENOUGH_CLEAN = 3

TIERS = (
    "1. Reward: log each component on its own and compare its mean with its spread; a term over 90 % of the variance, "
    "or a mean under a tenth of the spread, is the first suspect.",
    "2. Environment: play 100 random episodes and 100 with a simple hand-written policy; if the simple policy is no "
    "better than random, the environment, its observations or its actions are broken.",
    "3. Task: if the simple policy does well and no random episode ever meets a reward, start from easier goals or "
    "shape the reward with a potential.",
)


def next_tiers(run: Run, findings: Sequence[Finding], clean: Sequence[str]) -> tuple[str, ...]:
    """The tiers to walk, where the return does not improve although nothing in the trainer is ill."""
    from weaklink.rules._registry import all_rules

    alarms = [finding for finding in findings if finding.severity >= Level.WARN]
    trainer_ill = any(finding.link in TRAINER for finding in alarms)
    trainer_clean = [code for code in clean if all_rules()[code].link in TRAINER]
    no_learning = run.performance is not None and not run.performance.improved
    if not no_learning or trainer_ill or not alarms or len(trainer_clean) < ENOUGH_CLEAN:
        return ()
    opening = (
        f"{len(trainer_clean)} checks of the trainer are clean and the return does not improve: the trainer works, so "
        "look outside it."
    )
    return (opening, *TIERS)
