"""What a rule declares of itself in its decorator, beside how it judges."""

from __future__ import annotations

from enum import Enum, StrEnum

import msgspec


class SymptomName(StrEnum):
    """What a person sees; `judge/diagnosis/symptoms.py` has the words and the advice for each."""

    REWARD_FLAT = "reward flat"
    REWARD_PLATEAUS = "reward plateaus"
    REWARD_OSCILLATES = "reward oscillates"
    BAD_BEHAVIOUR = "high reward, bad behaviour"
    LIKE_RANDOM = "about as good as random"
    REWARD_DECLINES = "reward declines"
    EVALUATION_WORSE = "evaluation worse than training"
    NAN = "nan"
    ENTROPY_COLLAPSED = "entropy collapsed"
    Q_VALUES_DIVERGE = "q-values diverge"
    TOO_SLOW = "too slow"


class CheckName(StrEnum):
    """The items of the checklists that rules answer; `judge/diagnosis/checklists*.py` have their questions."""

    UNIT_TEST = "environment unit test"
    ACTIONS_MATTER = "observations change with actions"
    ENDS = "ends and time limits"
    REWARD_HISTOGRAM = "reward histogram"
    REWARD_COMPONENTS = "reward components"
    RETURN_SCALE = "return scale"
    NORMALISER_CLIP = "normaliser clip"
    ENTROPY_COEFFICIENT = "entropy coefficient"
    LEARNING_RATE = "learning rate"
    TARGET_KL = "target KL"
    UPDATES_HAPPEN = "updates happen"
    MEMORY = "memory estimate"
    GRADIENT_FLOW = "gradient flow"
    UPDATE_SIZE = "size of the updates"
    CLIPPING = "clipping"
    EXPLORATION = "exploration"
    CRITIC = "critic"
    GRADIENTS = "gradients and numbers"
    EVALUATION = "return and evaluation"
    RESPONSE_LENGTH = "length of responses"
    PACE = "throughput and memory"
    SAVING = "saving and loading"


class CheckRole(Enum):
    """What a rule's answer does to an item of a checklist."""

    DECIDES = "a finding fails the item, and a clean answer ticks it off"
    FAILS = "a finding fails the item, but a clean answer alone does not tick it off"
    EXEMPT = "the item asks all rules of some families, but not this one"


DECIDES, FAILS, EXEMPT = CheckRole


class Mark(Enum):
    """How a rule's findings are treated where they differ from all others."""

    AT_ONCE = "one look settles it while a training runs: it does not get better by waiting"
    COURSE = "it is about the course of the return, where every fault ends up showing"
    NEEDS_LENGTH = "it is no alarm in a training that was cut short"
    SUSPECT = "a setting that is odd on paper, and the cause where the curves show what it leads to"
    BARS_COMPARISON = "scores with this finding may not stand side by side"


ABOVE, BELOW, FAR_FROM_ZERO, NOT_A_NUMBER = "above", "below", "further from 0 than", "not a number"


class BareLimit(msgspec.Struct, frozen=True, kw_only=True):
    """One number against one limit, for a loop that has nothing but numbers (`weaklink.check_alerts`).

    `metrics` are names of the vocabulary and the short ones that hand-written loops use; none stands for any metric.
    `meaning` says what it may mean that the number is on this `side` of the limit.
    """

    side: str
    limit: float | None = None
    metrics: tuple[str, ...] = ()
    meaning: str = ""
