from __future__ import annotations

from pathlib import Path

from weaklink.base.evidence.survey import Survey
from weaklink.base.evidence.written import PAID_FOR
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

MOST = 3  # terms that a message names


@rule(
    "REW130",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=("observation",),
    leads_to=("ENV108", "REW103", "REW109", "REW115", "REW117", "REW122", "TSK101", "TSK102", "TSK103"),
)
def named_otherwise(survey: Survey) -> Answer:
    """A term of the reward has the opposite sign of what its name says.

    ## What it sees
    The source of the environment, as far as it is your own: the reward that `step` returns is followed through names
    and methods to its terms. A term that is called a cost or a penalty is added, its number is not below 0, and it is
    taken away nowhere. Or right where something has failed by its name (`crashed`, `lost`, `fell`, `invalid`) a plain
    number above 0 is paid, or right where something has succeeded (`won`, `arrived`, `solved`) one below 0. Fees, tolls
    and fines are left out: what one side pays the other earns.

    ## Why it is bad
    The learner does what is rewarded: it makes costs, or fails on purpose, and every curve looks as if training worked.

    ## What to do
    1. Read the formula aloud: costs are subtracted, and failures cost.
    2. Where the number carries the sign already, call it what it is (`cost_reward = -0.1`), so that nobody takes it
       away a second time.

    ## How to prove it
    Reverse the sign of the term and run `weaklink preflight ENV --automaton module:policy` with a policy that should
    do well: it earns more now, and random play less.

    ## When it is wrong
    A failure of somebody else, as of an opponent. A cost that is negative by the way in which it is worked out.

    ## References
    Sutton and Barto, Reinforcement Learning: An Introduction, 2018, section 3.2; practice.
    """
    if survey.code is None:
        return CannotTell(("code",), "there is no code of your own that could be read")
    found = [one for one in survey.code if one.kind == PAID_FOR]
    if not found:
        return None
    file, _, line = found[0].where.rpartition(":")
    names = join_names(f"`{name}` (`{term}`)" for name, _, term in (one.name.partition(": ") for one in found[:MOST]))
    return Finding(
        message=f"The reward has {names} with the opposite sign of what the name says (line {line} of "
        f"{Path(file).name}): costs and failures pay, or successes cost.",
        confidence=MEDIUM,
        evidence=(Evidence(metric="terms of the other sign", value=float(len(found)), limit=0.0),),
    )
