from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.survey import BOTH, CUT, LIMITED, Members, Survey
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.environment._clock import tells_time
from weaklink.judge.rules.environment._time_limit import jumps_at_time_limit, time_limit_told_as_end

_MODES = {
    "same_step": "in the step that ends the episode",
    "next_step": "in the step after the end",
    "disabled": "not by itself",
}


@rule(
    "ENV107",
    link=Link.ENVIRONMENT,
    level=Level.ERROR,
    on=Survey,
    needs=(("random", "endings", "members"),),
    leads_to=("TSK104", "VAL301", "VAL304", "VAL305"),
    checks={"ends and time limits": "decides"},
)
def terminal_mishandled(survey: Survey, *, shortest: int = 20, fewest: int = 5, enough: int = 10) -> Answer:
    """The end of an episode is told wrongly, or its last observation is lost.

    ## What it sees
    One of these. Episodes of several policies end as terminated at exactly one length of at least 20 steps that none
    ever exceeds, in different states, and the observation does not tell the time. The observation that ends an episode
    is already the first one of the next, or jumps at the time limit as in no other step. Both flags are always raised
    together. A vector environment starts members anew at another moment than it declares, loses their final
    observations, or does not mark ends by the time limit.

    ## Why it is bad
    After `terminated` nothing more is to be earned, after `truncated` the value of the last state goes on. A time limit
    that is told as the end makes good states look worthless, at moments that the agent cannot foresee. A lost final
    observation puts the value of a new episode's start into the last step of the old one.

    ## What to do
    1. Return `terminated=True` only where the task itself is over, and leave the limit to the wrapper `TimeLimit`,
       which sets `truncated`.
    2. Never call `reset` inside `step`; return the observation in which the episode ended.
    3. In a vector environment read the final observation from where its mode of starting anew puts it (`final_obs` or
       `terminal_observation`), and declare the mode that it really has.
    4. Where the horizon is part of the task, put the time left into the observation.

    ## How to prove it
    `weaklink preflight ENV --select ENV107` after the change. By hand: print both flags and the observation at the end
    of ten episodes.

    ## When it is wrong
    A task that truly ends after a fixed number of steps, in a way that the observation shows but not plainly. A step
    after the end that merely goes on is no finding: many simulators allow it.

    ## References
    Pardo et al., Time Limits in Reinforcement Learning, 2018; Gymnasium, handling time limits and autoreset modes;
    cleanrl issue #499, envpool issue #194, skrl issue #449.
    """
    ended = [play.ends[(play.ends != CUT) & (play.ends != LIMITED)] for play in survey.plays.values()]
    ends = np.concatenate(ended) if ended else np.empty(0, dtype=np.int64)
    if not len(ends) and not survey.endings and survey.members is None:
        return CannotTell(("endings",), "no episode came to its end")
    found = [
        *_restarted(survey),
        *filter(None, [time_limit_told_as_end(survey, shortest, fewest)]),
        *(_of_members(survey.members) if survey.members is not None else ()),
    ]
    found = found or list(_both(survey, ends, enough))
    return found[0] if len(found) == 1 else tuple(found) or None


def _restarted(survey: Survey) -> Iterator[Finding]:
    jumps = jumps_at_time_limit(survey)
    if jumps is not None:
        yield jumps
    elif any(ending.restarted for ending in survey.endings):
        yield Finding(
            message="The observation that ends an episode is already the first one of the next episode: the state in "
            "which it ended is lost.",
            confidence=HIGH,
            evidence=(Evidence(metric="restarted", value=1.0, limit=0.0),),
        )


def _both(survey: Survey, ends: np.ndarray, enough: int) -> Iterator[Finding]:
    """Ends with both flags up: worth knowing where it is most of them, an alarm where the flags are copies."""
    count = int(np.count_nonzero(ends == BOTH))
    if len(ends) < enough or count <= 0.5 * len(ends):
        return
    copies = count == len(ends) and not tells_time(survey)
    words = "one is a copy of the other" if copies else "a trainer cannot know which of them to believe"
    yield Finding(
        message=f"{count:,} of {len(ends):,} episodes end with terminated and truncated at once: {words}.",
        level=Level.WARN if copies else Level.INFO,
        confidence=MEDIUM,
        evidence=(Evidence(metric="both_flags", value=count / len(ends), limit=0.5),),
    )


def _of_members(members: Members) -> Iterator[Finding]:
    told, seen = members.autoreset, members.autoreset_seen
    if told and seen and told != seen:
        yield _member_finding(
            f"The vector environment says that it starts members anew {_MODES.get(told, told)}, but it does so "
            f"{_MODES.get(seen, seen)}",
            "autoreset",
            1,
        )
    if members.finals_missing and seen not in ("next_step", "disabled"):
        count = members.finals_missing
        yield _member_finding(
            f"{count} of {members.ends} episodes of members end without their final observation",
            "finals_missing",
            count,
        )
    if members.finals_wrong:
        count = members.finals_wrong
        yield _member_finding(
            f"{count} of {members.ends} final observations of members are the first of the next episode",
            "finals_wrong",
            count,
        )
    if members.truncations_unmarked:
        count = members.truncations_unmarked
        yield _member_finding(
            f"{count} of {members.ends} episodes of members end by the time limit without being marked as truncated",
            "truncations_unmarked",
            count,
        )


def _member_finding(words: str, metric: str, count: int) -> Finding:
    return Finding(
        message=f"{words}.",
        confidence=HIGH,
        evidence=(Evidence(metric=metric, value=float(count), limit=0.0),),
    )
