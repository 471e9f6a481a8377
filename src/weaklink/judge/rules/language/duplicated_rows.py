from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Flags, Ints, Samples
from weaklink.judge.rules._draws import (
    FEWEST_ROWS,
    Hashes,
    find_steps,
    hash_columns,
    select_complete,
    select_single_turns,
)
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

LONG = 20.0
"""Words of a text that is not written twice by chance: short answers are, and single sentences may be."""
APART = 0.5
"""The share of copies that stand away from the one before; those of one draw stand together, or at one distance."""
UNEVEN, LESS_EVEN = 0.25, 0.12
"""How much the numbers of rows of a prompt vary (standard deviation over mean): groups of one draw are of one size.
The second is enough where the numbers of different rows vary less: copies made even groups uneven."""
SEVERAL = 2.0
"""Different rows of a prompt, on average, whose numbers can be even: one text of all is a policy that has collapsed."""


@rule(
    "LLM355",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("text", "prompt", "length"),
    leads_to=("LLM307", "LLM308", "LLM317", "LLM322", "EXP301"),
)
def duplicated_rows(samples: Samples, *, limit: float = 0.2) -> Answer:
    """Rows were written several times: they repeat others in all that they say.

    ## What it sees
    More than 0.2 of the rows repeat an earlier row of the same step in prompt, completion, reward and everything else
    that is read, an id among it, where completions have twenty words or more. Trajectories are left out, since the same
    few actions may solve a task again. Copies must be scattered over the file in different
    numbers: completions of one draw that agree, because the policy has collapsed or does not sample, stand together and
    in groups of one size, or of nearly one where some were dropped.

    ## Why it is bad
    Copies weigh as much as new samples: some prompts count ten times, group baselines are means of copies, and every
    statistic is surer than it should be.

    ## What to do
    1. Look for what writes a row: a retry that appends again, several ranks that write the same file, a merge of files
       that overlap, sampling with replacement from a buffer.
    2. Give each completion an id when it is sampled, and drop rows whose id is known.

    ## How to prove it
    Count the rows of the file and the different ones among them: `sort samples.jsonl | uniq | wc -l`.

    ## When it is wrong
    A file that was resampled on purpose, such as a replay buffer.

    ## References
    Lee et al., Deduplicating Training Data Makes Language Models Better, 2022.
    """
    rows = select_single_turns(select_complete(samples, "length", "text", "prompt"))
    uneven = bool(len(rows)) and _is_uneven(rows)
    rows = rows.where(rows["length"] >= LONG)
    if len(rows) < 2 * FEWEST_ROWS:
        return CannotTell(("completion",), f"fewer than {2 * FEWEST_ROWS} completions of some length")
    copies, before = _find_copies(_hash_rows(rows))
    share = float(copies.mean())
    if share <= limit:
        return None
    distances = np.flatnonzero(copies) - before[copies]
    usual = int(np.bincount(distances).argmax())
    if float(np.mean((distances > 1) & (distances != usual))) < APART or not uneven:
        return None
    return Finding(
        message=f"{share:.0%} of {len(rows):,} rows are duplicates (limit {limit:.0%}): they repeat an earlier row in "
        "prompt, completion, reward and all else, scattered over the file: the same rows were written several times.",
        confidence=HIGH if share > 2 * limit else MEDIUM,
        evidence=(Evidence(metric="rows that repeat others", value=share, limit=limit),),
    )


def _hash_rows(rows: Samples) -> Hashes:
    codes = [rows.codes[name] for name in ("prompt", "text", "id") if name in rows.codes]
    return hash_columns(*(np.nan_to_num(column) for column in rows.numbers.values()), *codes)


def _find_copies(keys: np.ndarray) -> tuple[Flags, Ints]:
    """Which rows have a key that occurred before, and the place of the last such row."""
    order = np.argsort(keys, kind="stable")
    same = np.r_[False, keys[order][1:] == keys[order][:-1]]
    copies, before = np.zeros(len(keys), bool), np.full(len(keys), -1)
    copies[order[same]] = True
    before[order[same]] = order[np.flatnonzero(same) - 1]
    return copies, before


def _is_uneven(rows: Samples) -> bool:
    """Whether the numbers of rows of a prompt and step vary, and more than dropped rows make them."""
    steps = find_steps(rows)
    clock = np.zeros(len(rows)) if steps is None else np.nan_to_num(steps) + 0.0
    drawn = hash_columns(clock, rows.codes["prompt"])
    _, first = np.unique(_hash_rows(rows), return_index=True)
    (_, written), (_, different) = (np.unique(keys, return_counts=True) for keys in (drawn, drawn[first]))
    uneven = float(written.std() / written.mean())
    even = different.mean() >= SEVERAL and float(different.std() / different.mean()) < uneven
    return uneven >= (LESS_EVEN if even else UNEVEN)
