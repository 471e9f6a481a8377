from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import add_columns
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules._tricks import compare_pay
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

HOLLOW, MOSTLY = "left empty", 0.5
"""The share of its fields from which on an object is left empty."""
LESS = 0.1
"""How much less than others such objects may get, as a share of the range of rewards."""


@rule(
    "LLM393",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("empty_fields", "reward"),
    leads_to=("LLM301", "LLM302", "LLM307", "LLM308", "LLM311", "LLM315", "LLM327", "LLM304"),
)
def empty_fields(samples: Samples, *, limit: float = 0.05) -> Answer:
    """Objects whose fields are null or empty are paid like those that are filled.

    ## What it sees
    Completions and references are JSON objects. In more than 0.05 of the last completions, beyond chance, at least half
    of the fields that the reference fills are null, empty or `N/A`, and they get no less reward than the others (up to
    a tenth of its range).

    ## Why it is bad
    Only the schema is checked: that the object can be read and has the fields. Leaving them empty is the easiest way to
    have that, and the policy stops looking for their values.

    ## What to do
    1. Compare values with the reference, field by field, and pay the share that is right.
    2. Pay for the schema only what is left to win once values are right, or nothing.
    3. Count empty fields where the reference has a value as wrong.

    ## How to prove it
    Give the reward function an object of the right form with every value null: it must earn nothing.

    ## When it is wrong
    References with values that no text says.

    ## References
    Reinforcement Learning Training Debug Guide, on rewards for structured output.
    """
    if "empty_fields" not in samples:
        return CannotTell(("empty_fields",), "no completion and reference are objects")
    share = samples["empty_fields"]
    marked = np.where(np.isfinite(share), share >= MOSTLY, np.nan)
    found = measure_marked(add_columns(samples, **{HOLLOW: marked}), HOLLOW, "reward")
    if isinstance(found, CannotTell) or not found.over(limit):
        return found if isinstance(found, CannotTell) else None
    paid = compare_pay(found.late, HOLLOW)
    if paid is None or paid < -LESS * float(np.ptp(found.rows["reward"])):
        return None
    got = float(found.late["reward"][found.late[HOLLOW] == 1.0].mean())
    return Finding(
        message=f"Empty objects are paid: {found.share:.0%} of the completions leave half or more of the fields null "
        f"or empty that the reference fills (limit {limit:.0%}{found.since}), and get {got:.2g} reward on average "
        f"({paid:+.2g} compared with the others): the schema is paid, not the values.",
        onset=found.onset,
        confidence=HIGH if found.share > 2 * limit else MEDIUM,
        evidence=(Evidence(metric="objects left empty", value=found.share, limit=limit),),
    )
