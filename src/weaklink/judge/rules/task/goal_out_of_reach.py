from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.task._standing import find_success_key
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STATES = 8  # that can be reached from a start: where it is over after a move or two, luck may have decided

FEWEST_STARTS = 5  # starts that must have been mapped to their end

# starts without a way to the goal: one may be a level that is hardly ever drawn, two of forty are a pattern
FEWEST_LOST, LOST_SHARE = 2, 0.05


@rule(
    "TSK109",
    link=Link.TASK,
    level=Level.ERROR,
    on=Survey,
    needs=("reached",),
    leads_to=("REW101", "REW102", "REW105", "TSK101", "TSK102", "TSK103", "TSK104", "TSK106"),
)
def goal_out_of_reach(survey: Survey) -> Answer:
    """From some starts, or from all, no course of actions reaches the goal within the time limit.

    ## What it sees
    A small world is mapped from several starts: each action is tried in each state that can be reached, so far as the
    time limit allows. From some starts no step is a success and no end pays, while others have one; or from none of
    them, although the environment tells of success. It is an error where the goal is never reached, and a warning where
    it is not from some starts.

    ## Why it is bad
    No policy solves what cannot be solved. A part of the episodes only teaches that nothing is worth doing, the success
    rate stays below its ceiling, and runs are compared by how many solvable starts they drew.

    ## What to do
    1. Check that what is generated can be solved (a search over the map, before the episode begins), and draw it anew
       where it cannot.
    2. Compare the time limit with the shortest way.
    3. Look for an action that does nothing, or for a cell that is taken for a wall.

    ## How to prove it
    Reset with the seed that is named and try to walk to the goal. `weaklink preflight ENV --select TSK109` maps again.

    ## When it is wrong
    Starts without a solution on purpose, to be recognised as such.

    ## References
    Cobbe et al., Leveraging Procedural Generation to Benchmark Reinforcement Learning, 2020; practice.
    """
    mapped = [one for one in survey.reached if one.whole]
    lost = [one for one in mapped if one.nearest is None and one.states >= FEWEST_STATES]
    if len(mapped) < FEWEST_STARTS:
        return CannotTell(("reached",), f"fewer than {FEWEST_STARTS} starts could be mapped to their end")
    never = len(lost) == len(mapped)
    if never and (not find_success_key(survey) or any(one.nearest is not None for one in survey.reached)):
        return CannotTell(("reached",), "nothing tells what the goal is")
    if len(lost) < max(FEWEST_LOST, LOST_SHARE * len(mapped)):
        return None
    share = len(lost) / len(mapped)
    ways = sorted(one.nearest for one in mapped if one.nearest is not None)
    others = f"; from the others it is at most {ways[-1]} steps away" if ways else ""
    return Finding(
        message=f"From {len(lost)} of {len(mapped)} starts no course of actions reaches the goal, in at most "
        f"{max(one.states for one in lost):,} states that can be reached (seed {lost[0].seed} is one of them){others}.",
        level=Level.ERROR if never else Level.WARN,
        confidence=HIGH if never or len(lost) > FEWEST_LOST else MEDIUM,
        evidence=(Evidence(metric="starts without a way to the goal", value=share, limit=LOST_SHARE),),
    )
