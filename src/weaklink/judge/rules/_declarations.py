"""What a rule declares of itself in its decorator, beside how it judges."""

from __future__ import annotations

from typing import Literal

import msgspec

SymptomName = Literal[
    "reward flat",
    "reward plateaus",
    "reward oscillates",
    "high reward, bad behaviour",
    "about as good as random",
    "reward declines",
    "evaluation worse than training",
    "nan",
    "entropy collapsed",
    "q-values diverge",
    "too slow",
]
"""What a person sees; `judge/diagnosis/symptoms.py` has the words and the advice for each."""

CheckName = Literal[
    "environment unit test",
    "observations change with actions",
    "ends and time limits",
    "reward histogram",
    "reward components",
    "return scale",
    "normaliser clip",
    "entropy coefficient",
    "learning rate",
    "target KL",
    "updates happen",
    "memory estimate",
    "gradient flow",
    "size of the updates",
    "clipping",
    "exploration",
    "critic",
    "gradients and numbers",
    "return and evaluation",
    "length of responses",
    "throughput and memory",
    "saving and loading",
]
"""The items of the checklists that rules answer; `judge/diagnosis/checklists*.py` have their questions."""

CheckRole = Literal["decides", "fails", "exempt"]
"""What a rule's answer does to an item of a checklist.

`decides`: a finding fails the item, and a clean answer ticks it off. `fails`: a finding fails it, but a clean answer
alone does not tick it off. `exempt`: the item asks all rules of some families, but not this one.
"""

Mark = Literal[
    "settled at once", "course of the return", "needs length", "suspect", "bars comparison", "left to trainers",
    "excused by learning", "driven",
]  # fmt: skip
"""How a rule's findings are treated where they differ from all others.

`settled at once`: one look settles it while a training runs, since it does not get better by waiting. `course of the
return`: it is where every fault ends up showing. `needs length`: it is no alarm in a training that was cut short.
`suspect`: a setting that is odd on paper, and the cause where the curves show what it leads to. `bars comparison`:
scores with this finding may not stand side by side. `left to trainers`: a trainer may prepare for it, so that
it is no alarm in a training. `excused by learning`: hard to learn, and no alarm where it was learned. `driven`: it
measures what a setting drives, so that beside one that lies far off it tells even where it is no alarm by itself.
"""

Side = Literal["above", "below", "further from 0 than", "not a number"]


class BareLimit(msgspec.Struct, frozen=True, kw_only=True):
    """One number against one limit, for a loop that has nothing but numbers (`weaklink.check_alerts`).

    `metrics` are names of the vocabulary and the short ones that hand-written loops use; none stands for any metric.
    `meaning` says what it may mean that the number is on this `side` of the limit.
    """

    side: Side
    limit: float | None = None
    metrics: tuple[str, ...] = ()
    meaning: str = ""
