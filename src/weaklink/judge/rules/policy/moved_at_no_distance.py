from __future__ import annotations

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.stats import level
from weaklink.judge.rules._course import FEWEST, start_of
from weaklink.judge.rules._hyperparameters import is_one_step_a_rollout, read_number
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

# a KL of rounding: the mean of squares of differences of 32-bit log-probabilities
NOTHING = 1e-9

# of the rows: a single one may have moved by chance
NEARLY_ALL = 0.95


@rule(
    "POL320",
    link=Link.POLICY,
    level=Level.WARN,
    needs=("policy.kl", "policy.clip_fraction", "exploration.entropy"),
    leads_to=("POL302", "POL308", "POL307", "EXP301", "EXP302", "REW301", "REW303", "REW304"),
)
def moved_at_no_distance(run: Run, *, changed: float = 0.3) -> Answer:
    """The policy changes, and the distance of each update is logged as exactly 0.

    ## What it sees
    KL and clip fraction are 0 in nearly all rows, from the start to the end, while the entropy of the policy changes by
    three tenths and more of its start and the return does not improve. The learning rate is above 0. Updates of a
    single gradient step, as far as settings or counts of updates show them, are left out.

    ## Why it is bad
    Both are taken from the ratio of new to old probabilities. A ratio that is always 1 while the policy moves compares
    the policy with itself: nothing is ever clipped, no early stop is ever reached, and every epoch pushes as hard as
    the first.

    ## What to do
    1. Keep the log-probabilities of the rollout, and use them in every epoch; do not compute them anew from the current
       network.
    2. Check that the stored column is what the minibatch reads.
    3. Check that the KL is taken after the update, not before.

    ## How to prove it
    Print the largest ratio of the last minibatch of an update: with a learning rate of 1e-3 it cannot be 1.

    ## When it is wrong
    With one gradient step on fresh data the ratio is 1 by design. Where neither the settings nor the counts of updates
    are logged, that cannot be told apart, and only a return that does not improve is judged.

    ## References
    TRL issue #454; Tensorforce issue #312; Schulman et al., Proximal policy optimization algorithms, 2017.
    """
    kl, clipped, entropy = run["policy.kl"], run["policy.clip_fraction"], run["exploration.entropy"]
    course = run.performance
    if min(map(len, (kl, clipped, entropy))) < FEWEST or course is None:
        return CannotTell(("policy.kl",), f"fewer than {FEWEST} points")
    once = (read_number(run.config, "inner_iterations") or 2) <= 1 or _is_one_step(run)
    if run.family != "on-policy" or once or is_one_step_a_rollout(run.config):
        return CannotTell(("policy.kl",), "with one gradient step a rollout the ratio is 1 by design")
    start, end = start_of(entropy.values), level(entropy.values[-max(len(entropy) // 5, 3) :])
    still = all(float(np.mean(np.abs(series.values) <= NOTHING)) >= NEARLY_ALL for series in (kl, clipped))
    if course.improved or not still or abs(end - start) < changed * max(abs(start), NOTHING):
        return None
    return Finding(
        message=f"KL and clip fraction are 0 from step {kl.first_step:,.0f} to the end, although the policy changes "
        f"(entropy {start:.3g} to {end:.3g}): the ratio compares the policy with itself, and nothing bounds an update.",
        onset=kl.first_step,
        onset_within=kl.interval,
        confidence=HIGH,
        evidence=(
            Evidence(metric="policy.kl", value=level(kl.values), limit=NOTHING, step=kl.first_step),
            Evidence(metric="exploration.entropy", value=end, limit=start, step=entropy.last_step),
        ),
    )


def _is_one_step(run: Run) -> bool:
    """Whether updates are counted, and there is one from each row to the next."""
    updates = run.get("optimizer.updates")
    return updates is not None and len(updates) >= 2 and float(np.median(np.diff(updates.values))) <= 1.0
