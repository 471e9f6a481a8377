from __future__ import annotations

from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule("ENV109", link=Link.ENVIRONMENT, level=Level.ERROR, on=Survey, needs=("members",))
def duplicate_envs(survey: Survey) -> Answer:
    """Members of a vector environment play the same episodes.

    ## What it sees
    Each member of a vector environment gets a different seed, yet pairs of members return exactly the same
    observations (an error); or they do so in a new vector that is reset without a seed, as in most trainings (a
    warning).

    ## Why it is bad
    Eight identical members are one member at eight times the cost. Gradients are averaged over copies, so the batch is
    effectively smaller than it looks, and the agent sees fewer situations.

    ## What to do
    1. Give each member its own seed: `envs.reset(seed=0)` of Gymnasium and `make_vec_env(..., seed=0)` of
       Stable-Baselines3 do so; a fixed seed inside each constructor does not.
    2. Build a new environment in each constructor. `[lambda: env for _ in range(8)]` puts one object into eight places.
    3. In a loop, bind the index of the member: `lambda rank=rank: make(rank)`.

    ## How to prove it
    `weaklink preflight module:make_vector --select ENV109` after the change. By hand: print the first observations of
    all members.

    ## When it is wrong
    Members with a fixed start and no randomness behave the same as long as their actions are the same.

    ## References
    hill-a/stable-baselines issues #79 and #1120; practice.
    """
    members = survey.members
    if members is None or members.count < 2 or not (members.twins or members.unseeded_twins):
        return None
    if survey.same_whatever_done:
        return CannotTell(
            ("members",), "the environment behaves the same whatever the actions, so its members must too"
        )
    twins = members.twins or members.unseeded_twins
    first, second = twins[0]
    more = f" and {len(twins) - 1} more pairs" if len(twins) > 1 else ""
    alike = len({member for pair in twins for member in pair})
    why = "although each has a different seed" if members.twins else "in a new vector that is reset without a seed"
    return Finding(
        message=f"Members {first} and {second}{more} of {members.count} return exactly the same observations, {why}: "
        f"{alike} members are copies.",
        level=Level.ERROR if members.twins else Level.WARN,
        confidence=HIGH,
        evidence=(Evidence(metric="twins", value=float(len(twins)), limit=0.0),),
    )
