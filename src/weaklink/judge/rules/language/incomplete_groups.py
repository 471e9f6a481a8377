from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import hash_draws, select_complete
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST = 10
"""Groups."""


@rule(
    "LLM360",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("declared_size", "group"),
    leads_to=("LLM308", "LLM312", "LLM353"),
)
def incomplete_groups(samples: Samples, *, limit: float = 0.2) -> Answer:
    """Groups have fewer completions than are declared for them.

    ## What it sees
    Rows declare how many completions a group has (`num_generations` and the like), and more than 0.2 of the groups have
    fewer in the file. Where the file was cut or drawn from more rows, groups are incomplete at its ends only, or nearly
    all are.

    ## Why it is bad
    The mean and the spread of a group are those of the rest of it. A group of one has no advantage at all, or a
    division by a spread of zero, and completions that fail to come back (too long, too slow, refused by a filter) are
    missing in a way that is not random.

    ## What to do
    1. Count the completions that were asked for, that came back, and that were kept, one after the other.
    2. Look for what drops them: timeouts, a filter on length, duplicates, errors of a worker.
    3. Sample the missing ones again, or leave the whole group out.

    ## How to prove it
    Count the rows of each group in one step at the place where advantages are computed.

    ## When it is wrong
    A file with a random part of the rows of a training.

    ## References
    Shao et al., DeepSeekMath, 2024 (group-relative advantages).
    """
    rows = select_complete(samples, "declared_size", "group")
    _, first, counts = np.unique(hash_draws(rows), return_index=True, return_counts=True)
    if len(counts) < FEWEST:
        return CannotTell(("group",), f"fewer than {FEWEST} groups")
    declared = rows["declared_size"][first]
    short = counts < declared
    share, alone = float(short.mean()), float((counts == 1).mean())
    if share <= limit or not (declared > 1).all() or not (counts >= declared).any():
        return None
    return Finding(
        message=f"{share:.0%} of {len(counts):,} groups are incomplete (limit {limit:.0%}): their group sizes go from "
        f"{counts.min():,} to {counts.max():,} members where {np.median(declared):,.0f} generations are declared, and "
        f"{alone:.0%} have a single completion. Baselines are means of what is left.",
        confidence=HIGH if share > 2 * limit else MEDIUM,
        evidence=(Evidence(metric="incomplete groups", value=share, limit=limit),),
    )
