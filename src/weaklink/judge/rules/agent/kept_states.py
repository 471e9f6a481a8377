from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Flags, Ints, Samples
from weaklink.judge.rules._draws import hash_draws, select_complete
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_DRAWS, FEWEST = 10, 20
"""Draws of several trajectories, and trajectories that begin where another one ended."""
KNOWN, BY_CHANCE = 0.5, 0.5
"""The share of the unusual beginnings that must be the end of an earlier trajectory; and the most that may be the end
of a later one, for each that is that of an earlier one: states that are drawn from a few are both."""


@rule(
    "AGT320",
    link=Link.ENVIRONMENT,
    level=Level.ERROR,
    on=Samples,
    needs=("start", "end", "prompt", "group", "state_changed"),
    leads_to=("AGT301", "AGT302", "AGT304", "AGT305", "LLM301", "LLM308", "LLM311", "REW301"),
)
def kept_states(samples: Samples, *, limit: float = 0.2) -> Answer:
    """Trajectories begin in the state in which earlier ones ended: the environment is not reset.

    ## What it sees
    Trajectories of one draw have one task, so they must begin alike. In more than 0.2 of the draws they begin in
    different states; and of the trajectories that begin in another state than most do, half or more begin in one in
    which an earlier trajectory of another draw ended, twenty of them or more, and half as many at most in one in which
    a later one ended. States are compared without the names around them: a cart before may be an order after.

    ## Why it is bad
    What an agent did in one episode decides the next one. Right behaviour ends in a wrong state and is not paid,
    completions of a group are compared that had different tasks, and results depend on the order of episodes.

    ## What to do
    1. Print the state right after a reset, twice, with an episode between.
    2. Look for what outlives an episode: a database, a session or cookie, files, an object that is a default argument.
    3. Give each episode an environment of its own, or assert the initial state before the first call.

    ## How to prove it
    Run two episodes of one task one after the other on one worker: both must begin in the same state.

    ## When it is wrong
    Sessions that go on over several tasks on purpose.

    ## References
    Zhou et al., WebArena, 2024 (on resetting the sites between tasks).
    """
    rows = select_complete(samples, "start", "end", "prompt", "group", "state_changed")
    draw = np.unique(hash_draws(rows), return_inverse=True)[1].reshape(-1) if len(rows) else np.zeros(0, np.int64)
    several = np.bincount(draw) > 1
    if int(several.sum()) < FEWEST_DRAWS:
        return CannotTell(("initial_state",), f"fewer than {FEWEST_DRAWS} draws of several trajectories give states")
    start = rows.codes["start"]
    pairs = np.unique(np.stack((draw, start)), axis=1)
    share = float((np.bincount(pairs[0])[several] > 1).mean())
    values, counts = np.unique(start, return_counts=True)
    odd = start != values[np.argmax(counts)]
    kept = odd & _find_ended(start, rows.codes["end"], draw)
    later = odd[::-1] & _find_ended(start[::-1], rows.codes["end"][::-1], draw[::-1])
    if share <= limit or kept.sum() < max(FEWEST, KNOWN * odd.sum()) or later.sum() > BY_CHANCE * kept.sum():
        return None
    return Finding(
        message=f"The environment is not reset: in {share:.0%} of {int(several.sum()):,} draws the trajectories of one "
        f"task begin in different states (limit {limit:.0%}), and {int(kept.sum()):,} trajectories begin in the state "
        "in which an earlier one, of another task, had ended: its leftovers are carried over.",
        confidence=HIGH,
        evidence=(Evidence(metric="draws that begin in different states", value=share, limit=limit),),
    )


def _find_ended(start: Ints, end: Ints, draw: Ints) -> Flags:
    """Which rows begin in a state in which a row before them ended, that is of another draw."""
    values, first = np.unique(end, return_index=True)
    place = np.minimum(np.searchsorted(values, start), len(values) - 1)
    before = first[place]
    return np.asarray((values[place] == start) & (before < np.arange(len(start))) & (draw[before] != draw))
