from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.environment._comparing import (
    declared_nondeterministic,
    differing,
    global_generators,
    keeps_state,
    of_kind,
    parting,
    relative_gap,
)
from weaklink.judge.rules.environment._starts import rows_vary

FEWEST_BOUNDARIES = 5


@rule(
    "ENV103",
    link=Link.ENVIRONMENT,
    level=Level.ERROR,
    on=Survey,
    needs=(("comparisons", "random"),),
    leads_to=("ENV104", "ENV107", "OBS110", "TSK104", "TSK105", "TSK301"),
)
def reset_leak(survey: Survey, *, slight: float = 1e-3) -> Answer:
    """Something of the last episode survives the reset.

    ## What it sees
    Two new instances agree on a seed and a course of actions. An instance that has played before is given the same seed
    and the same actions, and something else comes of it. Or: most episodes begin exactly where the one before ended.
    A first difference below 0.1 % of the spread under random play is only worth knowing, and so is what a wrapper
    carries over on purpose, such as a running normaliser.

    ## Why it is bad
    What the agent sees and is paid depends on an episode that it cannot see any more. Counters that are not set back
    end episodes early; goals and filters that are not set back belong to another episode.

    ## What to do
    1. Set back every attribute that `step` changes: counters, goals, filters, histories, accumulated rewards.
    2. Give every generator of the environment's own the seed in `reset`, best by using `self.np_random` throughout.
    3. Build the simulation anew where its library cannot be set back fully.

    ## How to prove it
    `weaklink preflight ENV --select ENV103` after the change. By hand: play some episodes, then compare
    `reset(seed=0)` and 100 steps with a new instance.

    ## When it is wrong
    Environments with a schedule or curriculum of their own change from episode to episode on purpose. A physics engine
    may keep the order of its contacts: such differences begin tiny and grow.

    ## References
    Gymnasium issues #885 (step counter) and #728 (physics); Metaworld pull request #407; DACBench issue #94.
    """
    if declared_nondeterministic(survey):
        return CannotTell(("comparisons",), "the environment says that it is not deterministic")
    carried = keeps_state(survey)
    continued = _continued(survey)
    if continued is not None:
        return _told(continued, carried)
    fresh = of_kind(survey, "fresh")
    if not fresh:
        return CannotTell(("comparisons",), "no two new instances were compared")
    later = of_kind(survey, "after_play", "repeated")
    ill = differing(later)
    if differing(fresh) or (ill and global_generators(survey)):
        return CannotTell(("comparisons",), "the environment is not deterministic (ENV102), so it differs anyway")
    if not any(one.kind == "after_play" for one in later) and not ill:
        return CannotTell(("comparisons",), "no instance that had played before was compared")
    if not ill:
        return None
    first = max(ill, key=lambda one: relative_gap(survey, one))
    size = relative_gap(survey, first)
    finding = Finding(
        message=f"Two new instances agree, but an instance that has played before does not in {len(ill)} of "
        f"{len(later)} comparisons: with the same seed and the same actions {parting(first)}.",
        level=Level.INFO if size < slight else Level.ERROR,
        confidence=HIGH if len(ill) > 1 else MEDIUM,
        evidence=(Evidence(metric="difference", value=first.gap, limit=0.0, step=float(first.differs_at or 0)),),
    )
    return _told(finding, carried)


def _told(finding: Finding, carried: str) -> Finding:
    """The finding, or only worth knowing where a wrapper keeps state on purpose."""
    if not carried:
        return finding
    return Finding(
        message=f"{finding.message.removesuffix('.')}; {carried} keeps state over resets by design.",
        level=Level.INFO,
        confidence=finding.confidence,
        evidence=finding.evidence,
    )


def _continued(survey: Survey) -> Finding | None:
    """Episodes of random play that begin exactly where the one before ended, at places that differ.

    Resets without a seed, one after the other, must give the same observation too: nothing moved in between.
    """
    play, resets = survey.plays.get(RANDOM), survey.resets
    if resets is None or len(resets.unseeded) < 2 or rows_vary(resets.unseeded):
        return None
    if play is None or play.observations is None or play.successors is None or not play.observations.shape[1]:
        return None
    starts = play.starts[1:]
    starts = starts[(starts < play.kept) & (starts > 0)]
    if len(starts) < FEWEST_BOUNDARIES:
        return None
    begun, ended = play.observations[starts], play.successors[starts - 1]
    same = np.all(begun == ended, axis=1)
    places = {row.tobytes() for row in begun[same]}
    if same.mean() < 0.9 or len(places) < FEWEST_BOUNDARIES:
        return None
    return Finding(
        message=f"{int(same.sum())} of {len(starts)} episodes begin exactly where the one before ended: "
        "a reset without a seed does nothing.",
        confidence=HIGH,
        evidence=(Evidence(metric="continued_episodes", value=float(same.mean()), limit=0.0),),
    )
