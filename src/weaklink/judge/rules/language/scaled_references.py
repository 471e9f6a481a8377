from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Ints, Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import select_complete
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST, FEWEST_VALUES = 10, 4
"""Prompts that ask for per cent and whose references are in question, and different references among them."""
AGREED = 0.5
"""The share of the completions of a prompt that must agree on an answer."""
HUNDRED = 100.0
EXACT = 1e-6


@rule(
    "LLM384",
    link=Link.DATA,
    level=Level.WARN,
    on=Samples,
    needs=("answer", "reference", "prompt", "asks_percent"),
    leads_to=("LLM301", "LLM308", "LLM311", "LLM312", "LLM317", "LLM348", "LLM359"),
)
def scaled_references(samples: Samples, *, limit: float = 0.3) -> Answer:
    """References of questions for per cent are stored as fractions, so that right answers count as wrong.

    ## What it sees
    Prompts that ask for per cent, and for no fraction or decimal. For 0.3 of them or more, ten at least, the answer
    that half of the completions or more agree on is a hundred times the reference, to the digit, and no completion
    gives the reference itself, over four different references or more.

    ## Why it is bad
    Right answers are punished on a whole kind of questions, and the model learns to answer them in another unit than
    they ask for, or not at all.

    ## What to do
    1. Answer ten of these questions by hand and hold the answers against the references.
    2. Multiply the references by a hundred where they are read, or take both forms for right.
    3. Look for the place at which a percentage was turned into a number: a table with `%` in its cells is one.

    ## How to prove it
    Score right answers to ten questions for per cent: all must be paid.

    ## When it is wrong
    Prompts that name per cent and want a fraction all the same, in other words than `fraction` or `decimal`.

    ## References
    Northcutt et al., Pervasive Label Errors, 2021.
    """
    rows = select_complete(samples, "answer", "reference", "prompt", "asks_percent")
    rows = rows.where(rows["asks_percent"] == 1.0) if len(rows) else rows
    prompts, first, owner = np.unique(
        rows.codes.get("prompt", np.zeros(0, np.int64)), return_index=True, return_inverse=True
    )
    if len(prompts) < FEWEST:
        return CannotTell(("answer",), f"fewer than {FEWEST} prompts ask for per cent and have a reference")
    answers, references = (_read_numbers(rows, name) for name in ("answer", "reference"))
    scaled = np.abs(answers - HUNDRED * references) <= EXACT * np.maximum(np.abs(answers), EXACT)
    own = np.abs(answers - references) <= EXACT * np.maximum(np.abs(references), EXACT)
    owner, count = owner.reshape(-1), len(prompts)
    sizes = np.bincount(owner, minlength=count)
    odd = (np.bincount(owner, scaled & ~own, count) >= AGREED * sizes) & (np.bincount(owner, own, count) == 0)
    share = float(odd.mean())
    if share < limit or odd.sum() < FEWEST or len(np.unique(references[first[odd]])) < FEWEST_VALUES:
        return None
    return Finding(
        message=f"References are in another unit than answers: of {count:,} prompts that ask for a percentage "
        f"{share:.0%} have a reference that is a hundredth of what most completions answer (limit {limit:.0%}), and "
        "none gives the reference itself: a fraction is stored for per cent, so right answers count as wrong.",
        confidence=HIGH if share > 2 * limit else MEDIUM,
        evidence=(Evidence(metric="references that are a hundredth", value=share, limit=limit),),
    )


def _read_numbers(rows: Samples, name: str) -> Array:
    """What answers or references are as numbers; not a number where they are none, or are not among those named."""
    codes: Ints = rows.codes[name]
    named = {code: _parse(text) for code, text in rows.names.get(name, {}).items()}
    if not named:
        return np.full(len(codes), np.nan)
    known = np.array(sorted(named), np.int64)
    values = np.array([named[int(code)] for code in known])
    place = np.minimum(np.searchsorted(known, codes), len(known) - 1)
    return np.where(known[place] == codes, values[place], np.nan)


def _parse(text: str) -> float:
    try:
        number = float(text.replace(",", "").rstrip(" %"))
    except ValueError:
        return np.nan
    return number if abs(number) < 1e12 else np.nan
