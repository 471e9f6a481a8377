from __future__ import annotations

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules._samples import split
from weaklink.judge.rules._trajectories import measure_gain
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

WHOLE = 0.9
"""The share from the start on from which the environment always lasts until its limit."""


@rule(
    "AGT308",
    link=Link.TASK,
    level=Level.WARN,
    on=Samples,
    needs=("out_of_turns",),
    leads_to=("LLM302", "LLM303", "LLM309", "AGT305", "LLM311"),
)
def out_of_turns(samples: Samples, *, limit: float = 0.3) -> Answer:
    """Episodes do not end: the agent goes on until the limit on its turns, without a final answer.

    ## What it sees
    More than 0.3 of the last trajectories, or of all where that share does not change, take as many turns as their
    limit allows (`max_turns`, or an end such as `max_steps`), beyond chance, and success does not rise. Where it rises
    nevertheless, it is information.

    ## Why it is bad
    A trajectory that the limit ends has no answer, so it is graded as a failure whatever it found. It is the longest of
    all as well: most of the time and of the tokens of training go there.

    ## What to do
    1. Read five of them: does the agent loop, wander, or need more turns than it has?
    2. Raise the limit where work is cut off; tell the agent how many turns are left where it wanders.
    3. Pay for ending: a small cost for each turn, and nothing for what is not answered.

    ## How to prove it
    Give fifty such tasks twice as many turns: where the agent wanders, success does not rise.

    ## When it is wrong
    Environments that always last as long as their limit, such as games without an end.

    ## References
    Reinforcement Learning Training Debug Guide, on agents.
    """
    found = measure_marked(samples, "out_of_turns")
    if isinstance(found, CannotTell):
        return found
    if not found.over(limit):
        return None
    parts = split(found.rows, "out_of_turns")
    gain = None if parts is None else measure_gain(parts, "reward")
    if found.shift is not None and found.shift.before >= WHOLE:
        return CannotTell(("max_turns",), "nearly every trajectory lasts until the limit from the start on")
    learns = gain is not None and gain.better is not False and not found.rose
    told = "" if gain is None else f"; {gain.told}"
    return Finding(
        message=f"{found.share:.0%} of the trajectories do not end before the limit on turns (limit {limit:.0%}"
        f"{found.since}){told}.",
        onset=found.onset,
        level=Level.INFO if learns or (gain is not None and gain.better) else Level.WARN,
        confidence=HIGH if found.rose else MEDIUM,
        evidence=(Evidence(metric="out_of_turns", value=found.share, limit=limit),),
    )
