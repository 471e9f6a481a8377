from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import FEWEST_ROWS, add_columns, select_complete
from weaklink.judge.rules._marked import measure_marked
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

SCALES = ((1.0, 0.0), (0.1, 0.0), (0.2, 0.0), (0.01, 0.0), (1 / 9, -1 / 9), (1 / 4, -1 / 4))
"""What grades are multiplied by and moved by to become rewards."""
ROUNDED = 0.006
"""How far a reward may be from the grade, as a share of the range of rewards."""
FOLLOWING, SEVERAL = 0.2, 3
"""The share of the rows whose reward must be the stated grade, and the number of different grades on either side."""
FEWEST, ALIKE = 10, 0.9
"""Rows whose reward is another one, and the share of them that must have one and the same reward, above their grade."""
MISREAD = "rewards that are not the stated grade"


@rule(
    "LLM390",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("stated_grade", "reward"),
    leads_to=("LLM301", "LLM302", "LLM303", "LLM304", "LLM306", "LLM308", "LLM311", "LLM330", "LLM339"),
)
def misread_grades(samples: Samples, *, limit: float = 0.05) -> Answer:
    """The reward is another grade than the one that the judge states in its text.

    ## What it sees
    Rows hold what a judge wrote, and it states a grade ("Score: 7", "6/10"). In a fifth of the rows or more, with three
    grades or more, the reward is that grade on one scale. In more than 0.05 of the last rows, beyond chance, it is
    another number: nearly always the same one, whatever the judge says, and above what it said.

    ## Why it is bad
    What the judge says does not count where its text is parsed wrongly, such as "6/10" as 10. The policy learns
    whatever makes the judge write so, and rewards rise to the ceiling with nothing behind them.

    ## What to do
    1. Read ten of these rows: which number of the judge's text became the reward?
    2. Have the judge answer in a form that leaves no choice, such as JSON, and reject what does not fit it.
    3. Test the parser with texts as the judge really writes them: `7/10`, `7 out of 10`, `**Score:** 7`.

    ## How to prove it
    Parse the texts of these rows anew, by hand: the rewards must become the stated grades.

    ## When it is wrong
    Rewards that are not made of this judge's grade alone, where another part lifts them to one and the same number.

    ## References
    Zheng et al., Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena, 2023 (verdicts are parsed from text).
    """
    rows = select_complete(samples, "stated_grade", "reward")
    if len(rows) < 2 * FEWEST_ROWS:
        return CannotTell(("stated_grade",), f"fewer than {2 * FEWEST_ROWS} rows whose judge states a grade")
    stated, paid = rows["stated_grade"], rows["reward"]
    near = ROUNDED * max(float(np.ptp(paid)), 1e-9)
    fits = max((np.abs(paid - times * stated - more) <= near for times, more in SCALES), key=np.sum)
    wrong = ~fits
    if float(fits.mean()) < FOLLOWING or wrong.sum() < FEWEST:
        return None
    if min(len(np.unique(stated[part])) for part in (fits, wrong)) < SEVERAL:
        return None
    values, counts = np.unique(paid[wrong], return_counts=True)
    usual = float(values[np.argmax(counts)])
    if counts.max() < ALIKE * wrong.sum() or usual <= float(np.median(paid[fits])):
        return None
    found = measure_marked(add_columns(rows, **{MISREAD: wrong.astype(np.float64)}), MISREAD)
    if isinstance(found, CannotTell) or not found.over(limit):
        return found if isinstance(found, CannotTell) else None
    low, high = float(stated[wrong].min()), float(stated[wrong].max())
    return Finding(
        message=f"Grades are parsed wrongly: {found.share:.0%} of the rewards are not the grade that the judge's text "
        f"states (limit {limit:.0%}{found.since}) but {usual:g}, whether it says {low:g} or {high:g}; in other rows "
        "the reward is what it says.",
        onset=found.onset,
        confidence=HIGH if found.share > 2 * limit else MEDIUM,
        evidence=(Evidence(metric=MISREAD, value=found.share, limit=limit),),
    )
