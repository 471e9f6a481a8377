"""How a ladder is climbed: seeds, budgets, which rungs, and when to stop."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.traits import ACTIONS, CONTINUOUS, DISCRETE, FORMS, Traits
from weaklink.base.outside.lending import count_room
from weaklink.collect.probes.catalogue import ALL_PROBES, find_probe
from weaklink.collect.probes.language.catalogue import LANGUAGE_PROBES
from weaklink.collect.probes.language.problem import LanguageProbe
from weaklink.collect.probes.probe import CONTINUOUS as BOX
from weaklink.collect.probes.probe import MASKED, SEVERAL, VECTOR, Probe
from weaklink.collect.probes.reading_probe import READING_PROBES, ReadingProbe

AUTO = "auto"
SOFT = "soft"
"""What a script shows that logs a temperature: rewards are not all that its values are made of."""

AnyProbe = Probe | LanguageProbe | ReadingProbe

LARGEST_SEED = 2**32 - 2000
"""With room for the seeds that are counted up from it: NumPy takes none of 2**32 and more."""

MOST_STEPS = 10**10
LONGEST = 604_800.0
"""Seconds of a week."""

GROWTH = 4
"""How many times larger the budget gets for seeds that missed."""


OPTIONS = {
    "seeds": "--seeds",
    "first_seed": "--seed",
    "steps": "--steps",
    "gamma": "--gamma",
    "timeout": "--timeout",
    "seconds": "--seconds",
}
"""How the command line calls the parts of a plan that change a training."""


class ProbePlan(msgspec.Struct, frozen=True, kw_only=True):
    """`levels` counts the budgets that are tried, each larger than the last; `timeout` is for one training.

    After `seconds` no further rung is begun, where they are given; those that were are climbed to their end, or left as
    they are where `strict`. Of a rung that a single seed missed, `confirms` more seeds are trained. Where `adapts`, a
    rung begins one budget below the largest that another needed.
    """

    strict: ClassVar[bool] = False
    confirms: ClassVar[int] = 0
    adapts: ClassVar[bool] = False

    seeds: int = 3
    more_seeds: int = 2
    first_seed: int = 0
    steps: int = 0
    levels: int = 2
    actions: str = AUTO
    only: tuple[str, ...] = ()
    everything: bool = False
    timeout: float = 300.0
    gamma: float | None = None
    workers: int = 0
    seconds: float = 0.0

    @property
    def processes(self) -> int:
        """How many trainings run at once."""
        return count_room(self.workers)

    @property
    def options(self) -> tuple[str, ...]:
        """What the command line is given to train in the same way."""
        usual = ProbePlan()
        changed = (name for name in OPTIONS if getattr(self, name) != getattr(usual, name))
        return tuple(word for name in changed for word in (OPTIONS[name], str(getattr(self, name))))


class ScriptPlan(ProbePlan, frozen=True, kw_only=True):
    """How a script climbs: one seed first, and two more before a rung is broken, where two of three must miss."""

    strict: ClassVar[bool] = True
    confirms: ClassVar[int] = 2
    adapts: ClassVar[bool] = True


def check_plan(plan: ProbePlan) -> ProbePlan:
    """The plan, its numbers and words within what makes sense."""
    bounds = {"seeds": (1, 1000), "levels": (1, 4), "timeout": (1.0, 86_400.0), "workers": (0, 512)}
    for name, (low, high) in bounds.items():
        value = getattr(plan, name)
        if not low <= value <= high:
            raise UsageError(f"--{name} must be between {low:g} and {high:g}, not {value:g}.")
    if not 0.0 <= plan.seconds <= LONGEST:
        raise UsageError(f"--seconds must be between 0 and {LONGEST:g}, not {plan.seconds:g}. 0 sets no limit.")
    if not 0 <= plan.first_seed <= LARGEST_SEED:
        raise UsageError(f"--seed must be between 0 and {LARGEST_SEED:,}, not {plan.first_seed:,}.")
    if plan.steps < 0:
        raise UsageError(f"--steps must be at least 0, not {plan.steps}. 0 leaves it to the ladder.")
    if plan.steps > MOST_STEPS:
        raise UsageError(f"--steps must be at most {MOST_STEPS:,}, not {plan.steps:,}.")
    if plan.gamma is not None and not 0.0 < plan.gamma < 1.0:
        raise UsageError(f"--gamma must lie between 0 and 1, not {plan.gamma:g}.")
    if plan.actions not in (AUTO, DISCRETE, CONTINUOUS, "both"):
        raise UsageError(f"--actions is auto, discrete, continuous or both, not '{plan.actions}'.")
    _select_probes(plan.only)
    return plan


def _select_probes(words: tuple[str, ...]) -> list[AnyProbe]:
    """The probes that words name: names of rungs, or titles of environments."""
    known: tuple[AnyProbe, ...] = (*READING_PROBES, *ALL_PROBES, *LANGUAGE_PROBES)
    chosen = []
    for word in words:
        fitting = [probe for probe in known if word.lower() in (probe.name, probe.title.lower())]
        if not fitting:
            names = ", ".join(dict.fromkeys(probe.name for probe in known))
            raise UsageError(f"No rung is called '{word}'. Rungs: {names}.")
        chosen += fitting
    return chosen


def plan_ladder(plan: ProbePlan, traits: Traits) -> tuple[list[AnyProbe], dict[str, str]]:
    """The probes to climb, in their order, and why others are left out."""
    if traits.language:
        return _plan_language_ladder(plan, traits)
    wanted = _select_probes(plan.only) if plan.only else list(ALL_PROBES)
    kinds = _pick_kinds(plan, traits)
    chosen: list[AnyProbe] = []
    left = {probe.title: "it is for language models" for probe in LANGUAGE_PROBES if probe in wanted}
    for probe in (probe for probe in ALL_PROBES if probe in wanted):
        reason = _explain_unfit(probe, traits)
        if reason:
            left[probe.title] = reason
        elif _is_form(probe, kinds) or (plan.only and plan.actions == AUTO):
            chosen.append(probe)
        elif plan.only:
            left[probe.title] = f"its actions are not {plan.actions}"
    # who asks for a rung by name wants to know why it is missing, and not which of its forms are
    climbed = {probe.name for probe in chosen} if plan.only else set()
    return chosen, {title: reason for title, reason in left.items() if _find_rung(title) not in climbed}


def plan_reading(plan: ProbePlan, traits: Traits) -> list[ReadingProbe]:
    """The environments in which updates are read: one for each kind of action that is climbed."""
    if traits.language or (plan.only and not any(probe in _select_probes(plan.only) for probe in READING_PROBES)):
        return []
    kinds = [kind for kind in _pick_kinds(plan, traits) if kind in traits.actions]
    return [probe for probe in READING_PROBES if (CONTINUOUS if probe.continuous else DISCRETE) in kinds]


def _find_rung(title: str) -> str:
    """The rung that a title is a form of; those of language models have one form."""
    return next((probe.name for probe in LANGUAGE_PROBES if probe.title == title), "") or find_probe(title).name


def _plan_language_ladder(plan: ProbePlan, traits: Traits) -> tuple[list[AnyProbe], dict[str, str]]:
    wanted = _select_probes(plan.only) if plan.only else list(LANGUAGE_PROBES)
    left = {probe.title: "it is no rung for language models" for probe in wanted if probe not in LANGUAGE_PROBES}
    chosen: list[AnyProbe] = []
    for probe in (probe for probe in LANGUAGE_PROBES if probe in wanted):
        if probe.tools and not traits.tools:
            left[probe.title] = "the trainer takes no completions in which tools speak"
        else:
            chosen.append(probe)
    return chosen, left


def _pick_kinds(plan: ProbePlan, traits: Traits) -> tuple[str, ...]:
    """Which forms of action to use; by themselves discrete ones where the trainer takes both."""
    if plan.actions == "both":
        return DISCRETE, CONTINUOUS
    if plan.actions != AUTO:
        return (plan.actions,)
    return traits.actions[:1]


def _find_kind(probe: Probe) -> str:
    return CONTINUOUS if probe.acts == BOX else DISCRETE


def _is_form(probe: Probe, kinds: tuple[str, ...]) -> bool:
    """Whether a probe has the form that is climbed; those that only make sense with one form always have."""
    return _find_kind(probe) in kinds or probe.world.choices == 0


def is_guess(probe: AnyProbe, plan: ProbePlan, traits: Traits) -> bool:
    """Whether a probe asks for spaces of which nobody said that the trainer takes them."""
    if not isinstance(probe, Probe):
        return False
    other = probe.acts == SEVERAL or _find_kind(probe) != _pick_kinds(plan, traits)[0]
    return (ACTIONS in traits.guessed and other) or bool(find_guessed_form(probe, traits))


def find_guessed_form(probe: AnyProbe, traits: Traits) -> str:
    """What a probe shows that is more than vectors, where nobody said that the trainer learns from it; else empty."""
    if not isinstance(probe, Probe) or FORMS not in traits.guessed or probe.seen == VECTOR:
        return ""
    return probe.seen


def _explain_unfit(probe: Probe, traits: Traits) -> str:
    """Why a probe is not for this trainer; empty where it is."""
    if _find_kind(probe) not in traits.actions:
        return f"the trainer takes no {_find_kind(probe)} actions"
    if probe.name.startswith("memory") and not traits.remembers:
        return "the trainer is not recurrent"
    if probe.acts == MASKED and not traits.masks:
        return "the trainer takes no masks of actions"
    if probe.acts == SEVERAL and not traits.several:
        return "the trainer takes one choice at a time"
    if probe.seen != VECTOR and probe.seen not in traits.forms:
        return f"the trainer does not take {probe.seen} observations, or does not learn from them reliably"
    if probe.title == "VeryWideAction" and not traits.scales:
        return "this trainer leaves scaling actions to the environment: wrap yours with RescaleAction"
    return ""


def explain_unanswerable(probe: AnyProbe, shows: tuple[str, ...]) -> str:
    """What the agent would have to show for a probe to be judged; empty where it can be."""
    asked = set(probe.world.asked)
    if asked == {"tokens"}:
        return ""
    if asked == {"value"} and SOFT in shows and isinstance(probe, Probe) and probe.world.goes_on:
        return "a bonus for entropy is in its values, so that a log of them is no proof"
    if asked <= {"value"} and not {"value", "q", "log"} & set(shows):
        return "log the value loss, or expose `value`" if "behaviour" in shows else "expose `value` or `q`"
    if asked == {"q"} and "q" not in shows:
        return "only for agents with q-values: expose `q`"
    if asked == {"entropy"} and not {"sample", "temperature"} <= set(shows):
        return "only for soft agents: expose `sample` and `temperature`"
    if asked == {"chance"} and "reset" not in shows:
        return "only for recurrent agents: expose `reset`"
    return ""


def compute_budget(plan: ProbePlan, traits: Traits, probe: AnyProbe, level: int) -> int:
    """Steps of one training, or updates of a language model."""
    return int((plan.steps or traits.steps) * probe.world.effort * GROWTH**level)
