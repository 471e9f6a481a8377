from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from weaklink.base.evidence.endings import VectorMembers
from weaklink.base.evidence.survey import BOTH, CUT, LIMITED, Survey
from weaklink.judge.rules._wrappers import find_end_changes
from weaklink.judge.rules.environment._clock import tells_time
from weaklink.judge.rules.environment._time_limit import (
    find_end_reported_as_truncation,
    find_jump_at_time_limit,
    find_swapped_flags,
    find_time_limit_reported_as_termination,
)
from weaklink.judge.rules.writing import (
    HIGH,
    MEDIUM,
    Answer,
    CannotTell,
    Evidence,
    Finding,
    Level,
    Link,
    answer_with,
    rule,
)

_MODES = {
    "same_step": "in the step that ends the episode",
    "next_step": "in the step after the end",
    "disabled": "never",
}


@rule(
    "ENV107",
    link=Link.ENVIRONMENT,
    level=Level.ERROR,
    on=Survey,
    needs=(("random", "endings", "members"),),
    leads_to=("REW105", "REW107", "TSK104", "TSK108", "VAL301", "VAL304", "VAL305"),
    checks={"ends and time limits": "decides"},
)
def terminal_mishandled(survey: Survey, *, shortest: int = 20, fewest: int = 5, enough: int = 10) -> Answer:
    """The end of an episode is reported wrongly, or its final observation is lost.

    ## What it sees
    One of these. Episodes of several policies end with terminated at exactly one length of at least 20 steps that none
    ever exceeds, in different states, the observation does not reveal the time, and what is done changes what is seen
    later, as in a bandit it does not; where all other episodes end with truncated, at many different steps, the two
    flags are swapped. So they are where all episodes are truncated, at several different steps, and courses of action
    that were made to last, from different starts, all end with terminated at one and the same later step. Or episodes
    are truncated at many different steps, each with a reward that no other step pays. The observation that ends an
    episode is the first one of the next, or jumps at the time limit as in no other step. Both flags are always set
    together. A wrapper keeps an end to itself or turns one flag into the other. A vector environment resets its members
    at another moment than it declares, loses their final observations, or does not mark truncations.

    ## Why it is bad
    After `terminated` there is nothing more to earn, so the target does not bootstrap; after `truncated` it does, from
    the value of the last state. A time limit reported as termination makes good states look worthless, at moments that
    the agent cannot foresee; an end reported as a time limit is credited with a future that never comes. A lost final
    observation puts the value of a new episode's start into the last target of the old one.

    ## What to do
    1. Return `terminated=True` only where the task itself is over, and leave the time limit to the wrapper `TimeLimit`,
       which sets `truncated`.
    2. Never call `reset` inside `step`; return the observation in which the episode ended.
    3. In a vector environment read the final observation from where its autoreset mode puts it (`final_obs` or
       `terminal_observation`), and declare the mode that it really has.
    4. Where the horizon is part of the task, add the remaining time to the observation.

    ## How to prove it
    `weaklink preflight ENV --select ENV107` after the change. By hand: print both flags and the observation at the end
    of ten episodes.

    ## When it is wrong
    A task that truly ends after a fixed number of steps, where the observation shows the time only indirectly. A step
    after the end that simply continues is not reported: many simulators allow it.

    ## References
    Pardo et al., Time Limits in Reinforcement Learning, 2018; Gymnasium, handling time limits and autoreset modes;
    cleanrl issue #499, envpool issue #194, skrl issue #449.
    """
    ended = [play.ends[(play.ends != CUT) & (play.ends != LIMITED)] for play in survey.plays.values()]
    ends = np.concatenate(ended) if ended else np.empty(0, dtype=np.int64)
    if not len(ends) and not survey.endings and survey.members is None:
        kept = list(_check_wrappers(survey))  # a wrapper may keep every end to itself
        if kept:
            return answer_with(kept)
        return CannotTell(("endings",), "no episode ended")
    found = [
        *_find_restarts(survey),
        *filter(
            None, [find_time_limit_reported_as_termination(survey, shortest, fewest) or find_swapped_flags(survey)]
        ),
        *filter(None, [find_end_reported_as_truncation(survey)]),
        *(_check_members(survey.members) if survey.members is not None else ()),
        *_check_wrappers(survey),
    ]
    found = found or list(_check_both_flags(survey, ends, enough))
    return answer_with(found)


def _find_restarts(survey: Survey) -> Iterator[Finding]:
    jumps = find_jump_at_time_limit(survey)
    if jumps is not None:
        yield jumps
    elif any(ending.restarted for ending in survey.endings):
        yield Finding(
            message="The observation that ends an episode is the first one of the next episode: the final observation "
            "is lost.",
            confidence=HIGH,
            evidence=(Evidence(metric="restarted", value=1.0, limit=0.0),),
        )


def _check_wrappers(survey: Survey) -> Iterator[Finding]:
    """Wrappers that change how episodes end."""
    for name, found in groupby(find_end_changes(survey), key=lambda change: change.layer.name):
        changes = list(found)
        words = ", and ".join(f"{each.words}, in {each.changed} of {each.of} such ends" for each in changes)
        changed = float(sum(each.changed for each in changes))
        yield Finding(
            message=f"The wrapper `{name}` {words}.",
            confidence=HIGH,
            evidence=(Evidence(metric=f"{name}: ends changed", value=changed, limit=0.0),),
        )


def _check_both_flags(survey: Survey, ends: np.ndarray, enough: int) -> Iterator[Finding]:
    """Ends with both flags set: info where most episodes do so, a warning where the flags are copies."""
    count = int(np.count_nonzero(ends == BOTH))
    if len(ends) < enough or count <= 0.5 * len(ends):
        return
    copies = count == len(ends) and not tells_time(survey)
    words = "one flag is a copy of the other" if copies else "a trainer cannot know whether to bootstrap"
    yield Finding(
        message=f"{count:,} of {len(ends):,} episodes end with both terminated and truncated: {words}.",
        level=Level.WARN if copies else Level.INFO,
        confidence=MEDIUM,
        evidence=(Evidence(metric="both_flags", value=count / len(ends), limit=0.5),),
    )


def _check_members(members: VectorMembers) -> Iterator[Finding]:
    told, seen, ends = members.autoreset, members.autoreset_seen, members.ends
    lost = 0 if seen in ("next_step", "disabled") else members.finals_missing
    faults = (
        (
            "autoreset",
            int(bool(told and seen and told != seen)),
            f"The vector environment declares that it resets members {_MODES.get(told, told)}, but it resets them "
            f"{_MODES.get(seen, seen)}",
        ),
        ("finals_missing", lost, f"{lost} of {ends} episodes of members end without their final observation"),
        (
            "finals_wrong",
            members.finals_wrong,
            f"{members.finals_wrong} of {ends} final observations of members are the first of the next episode",
        ),
        (
            "truncations_unmarked",
            members.truncations_unmarked,
            f"{members.truncations_unmarked} of {ends} episodes of members end at the time limit without truncated",
        ),
    )
    for metric, count, words in faults:
        if count:
            evidence = (Evidence(metric=metric, value=float(count), limit=0.0),)
            yield Finding(message=f"{words}.", confidence=HIGH, evidence=evidence)
