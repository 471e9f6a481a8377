from __future__ import annotations

import numpy as np

from weaklink.base.evidence.ledger import SplitLooks
from weaklink.base.evidence.overlap import Overlap
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

KEPT_BACK = "private"
MOST_NAMED = 3
SPARED = (
    "Select on the dev split only, and keep the private one for the final evaluation.",
    "Report how often the private split was evaluated, and what was selected with it.",
    "Make a new private split before the next release.",
)
FRESH = "Score the selected model on fresh items of the same kind: the drop in score is the selection bias."
FEWEST_SHORT = 3
"""Items of fewer words than an n-gram that must be met: questions from one source share one or two by chance."""
FEWEST_ITEMS = 5
"""With fewer items a shared template cannot be separated from the questions."""


@rule("LLM313", link=Link.EVALUATION, level=Level.WARN, on=Overlap, leads_to=("EVA303",))
def contaminated_evaluation(overlap: Overlap, *, share: float = 0.7, many: float = 0.01, looks: int = 1) -> Answer:
    """Evaluation items are in the training data, or a private split was used for model selection.

    ## What it sees
    Evaluation items of which at least 70 % is in one row of the training data: 13-grams of words that match after case,
    spacing and punctuation are removed. Shorter items must match as a whole, and figures must be the same. Words that
    more than one item in twenty shares are a template and do not count. One file or folder is searched where its rows
    say to which split they belong. Or the ledger of evaluations: a private split that was used to select something, or
    that was evaluated more than once. Below one item in a hundred, for one or two items that are shorter than that, and
    for evaluations that selected nothing, it is information only.

    ## Why it is bad
    Items from the training data are recalled and not solved, so the score says nothing about new problems. A split that
    selects checkpoints or settings becomes part of training although no row of it is trained on.

    ## What to do
    1. Remove the named rows from the training data and train again, or remove the items from the evaluation and report
       that.
    2. Report the score on the clean items beside the score on all.
    3. Select on the dev split only, and keep the private one for the final evaluation; make a new one when it is used
       up.

    ## How to prove it
    Score seen and unseen items separately: memorised items score far higher than unseen ones of the same difficulty.

    ## When it is wrong
    A training row that quotes an item in order to exclude it; quotations, laws or code that both sides cite; problems
    made from one pattern whose wording is fixed. Paraphrased or translated items are not found at all.

    ## References
    Brown et al., Language Models are Few-Shot Learners, 2020, appendix C (thirteen words); Chowdhery et al., PaLM:
    Scaling Language Modeling with Pathways, 2022 (70 %).
    """
    if not overlap.judged and not overlap.looks:
        return CannotTell(("evaluation items with text, or a ledger of evaluations",), "there is nothing to search for")
    found = (_in_training(overlap, share, many), *(_by_looks(one, looks) for one in overlap.looks))
    return tuple(finding for finding in found if finding is not None) or None


def _in_training(overlap: Overlap, share: float, many: float) -> Finding | None:
    needed = share if overlap.judged >= FEWEST_ITEMS else 1.0
    met = int(np.sum(np.nan_to_num(overlap.shares) >= needed)) if overlap.judged else 0
    if not met:
        return None
    part = met / overlap.judged
    named = ", ".join(f"{one.item} in {one.place}" for one in overlap.seen[: min(met, MOST_NAMED)])
    whole = f", {overlap.exact} of them verbatim" if overlap.exact else ""
    more = " and others" if met > MOST_NAMED else ""
    return Finding(
        message=f"{met} of {overlap.judged} evaluation items ({part:.2%}) are in the training data{whole}: "
        f"{named}{more}.",
        level=Level.INFO if part < many or _may_be_chance(overlap, met) else Level.WARN,
        confidence=HIGH if overlap.exact else MEDIUM,
        evidence=(
            Evidence(metric="share of items in the training data", value=part, limit=many),
            *(
                Evidence(metric=f"share of item {one.item}", value=one.share, limit=needed)
                for one in overlap.seen[: min(met, MOST_NAMED)]
            ),
        ),
    )


def _may_be_chance(overlap: Overlap, met: int) -> bool:
    """Whether few items were met and all of them are short: questions of a few words coincide without a leak."""
    short = all(len(one.text.split()) < overlap.words for one in overlap.seen[:met])
    return short and met < FEWEST_SHORT and met < overlap.judged / 2


def _by_looks(looked: SplitLooks, looks: int) -> Finding | None:
    if looked.split != KEPT_BACK:
        return None
    name = f"The private split of {looked.task}" if looked.task else "The private split"
    models = f" with {len(looked.models)} models" if len(looked.models) > 1 else ""
    evidence = (Evidence(metric="looks at the private split", value=float(looked.looks), limit=float(looks)),)
    if looked.selections:
        chosen = ", ".join(dict.fromkeys(looked.selections[-MOST_NAMED:]))
        times = f"{len(looked.selections)} times, last " if len(looked.selections) > 1 else ""
        after = "1 evaluation" if looked.looks == 1 else f"{looked.looks} evaluations"
        return Finding(
            message=f"{name} was used to select {times}{chosen}, after {after}{models}.",
            confidence=HIGH,
            evidence=evidence,
            fix=SPARED,
            verify=FRESH,
        )
    if looked.looks <= looks:
        return None
    return Finding(
        message=f"{name} was evaluated {looked.looks} times{models}, where a final evaluation needs {looks}.",
        level=Level.INFO,
        confidence=MEDIUM,
        evidence=evidence,
        fix=SPARED,
        verify=FRESH,
    )
