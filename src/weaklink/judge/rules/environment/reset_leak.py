from __future__ import annotations

from math import inf

import msgspec
import numpy as np

from weaklink.base.evidence.survey import RANDOM, Survey, TrajectoryComparison
from weaklink.judge.rules.environment._comparing import (
    FLAGS,
    describe_difference,
    is_declared_nondeterministic,
    name_global_generators,
    name_stateful_wrappers,
    scale_gap,
    select_differing,
    select_kinds,
)
from weaklink.judge.rules.environment._starts import rows_vary
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_BOUNDARIES = 5  # ends of episodes to look at, and different places among them: fewer may coincide


@rule(
    "ENV103",
    link=Link.ENVIRONMENT,
    level=Level.ERROR,
    on=Survey,
    needs=(("comparisons", "random"),),
    leads_to=("ENV104", "ENV107", "OBS108", "OBS110", "TSK104", "TSK105", "TSK301"),
)
def reset_leak(survey: Survey, *, slight: float = 1e-3) -> Answer:
    """State from the previous episode survives the reset.

    ## What it sees
    Two new instances agree for one seed and one sequence of actions. An instance that has played before gets the same
    seed and the same actions, and its trajectory differs. Or: most episodes start exactly where the previous one ended.
    A first difference after the first step and below 0.1 % of the standard deviation under random play is info only,
    and so is what a wrapper keeps on purpose, such as a running normaliser, but not an end of the episode.

    ## Why it is bad
    Observations and rewards depend on an episode that the agent can no longer see. Counters that are not reset end
    episodes early; goals and filters that are not reset belong to another episode.

    ## What to do
    1. Reset every attribute that `step` changes: counters, goals, filters, histories, accumulated rewards.
    2. Seed every random generator of the environment in `reset`, ideally by using `self.np_random` throughout.
    3. Rebuild the simulation where its library cannot reset it completely.

    ## How to prove it
    `weaklink preflight ENV --select ENV103` after the change. By hand: play some episodes, then compare
    `reset(seed=0)` and 100 steps with a new instance.

    ## When it is wrong
    Environments with a built-in schedule or curriculum change from episode to episode on purpose. A physics engine may
    keep the order of its contacts: such differences start tiny and grow.

    ## References
    Gymnasium issues #885 (step counter) and #728 (physics); Metaworld pull request #407; DACBench issue #94.
    """
    if is_declared_nondeterministic(survey):
        return CannotTell(("comparisons",), "the environment is declared nondeterministic")
    continued = _find_continued_episodes(survey)
    if continued is not None:
        return _excuse_wrappers(continued, survey)
    fresh, later = select_kinds(survey, "fresh"), select_kinds(survey, "after_play", "repeated")
    different = select_differing(later)
    if not fresh:
        return CannotTell(("comparisons",), "no two new instances were compared")
    if select_differing(fresh) or (different and name_global_generators(survey)):
        return CannotTell(
            ("comparisons",), "the environment is not deterministic (ENV102), so trajectories differ anyway"
        )
    if not different:
        after_play = any(one.kind == "after_play" for one in later)
        return None if after_play else CannotTell(("comparisons",), "no instance that had played before was compared")
    return _excuse_wrappers(_describe(survey, different, len(later), slight), survey)


def _describe(survey: Survey, different: list[TrajectoryComparison], compared: int, slight: float) -> Finding:
    """The finding of the largest first difference, in standard deviations under random play."""
    # before the first step no engine has done anything that could round differently
    sizes = [scale_gap(survey, one) if one.differs_at else inf for one in different]
    largest = different[int(np.argmax(sizes))]
    return Finding(
        message=f"Two new instances agree, but an instance that has played before differs in {len(different)} of "
        f"{compared} comparisons: with the same seed and the same actions {describe_difference(largest)}.",
        link=Link.REWARD if {one.what for one in different} == {"reward"} else None,
        level=Level.INFO if max(sizes) < slight else Level.ERROR,
        confidence=HIGH if len(different) > 1 else MEDIUM,
        evidence=(Evidence(metric="difference", value=largest.gap, limit=0.0, step=float(largest.differs_at or 0)),),
    )


def _excuse_wrappers(finding: Finding, survey: Survey) -> Finding:
    """The finding, lowered to info where a wrapper keeps state on purpose."""
    carried = name_stateful_wrappers(survey)
    if not carried or any(
        one.what in FLAGS for one in select_differing(select_kinds(survey, "after_play", "repeated"))
    ):
        return finding
    message = f"{finding.message.removesuffix('.')}; {carried} keeps state across resets by design."
    return msgspec.structs.replace(finding, message=message, level=Level.INFO)


def _find_continued_episodes(survey: Survey) -> Finding | None:
    """The finding, if episodes of random play start exactly where the previous one ended, each at another place.

    Consecutive resets without a seed must give the same observation too: nothing moved in between.
    """
    play, resets = survey.plays.get(RANDOM), survey.resets
    if resets is None or len(resets.unseeded) < 2 or rows_vary(resets.unseeded):
        return None
    if play is None or play.observations is None or play.successors is None or not play.observations.shape[1]:
        return None
    starts = play.starts[1:]
    starts = starts[(starts < play.kept) & (starts > 0)]
    begun, ended = play.observations[starts], play.successors[starts - 1]
    same = np.all(begun == ended, axis=1)
    places = {row.tobytes() for row in begun[same]}
    if len(places) < FEWEST_BOUNDARIES or same.mean() < 0.9:
        return None
    return Finding(
        message=f"{int(same.sum())} of {len(starts)} episodes start exactly where the previous one ended: "
        "a reset without a seed does nothing.",
        confidence=HIGH,
        evidence=(Evidence(metric="continued_episodes", value=float(same.mean()), limit=0.0),),
    )
