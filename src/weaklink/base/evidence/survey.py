"""An environment as evidence: what was seen of it before any training.

A survey is filled stage by stage, so that an environment that dies halfway leaves what was seen until then. What was
not reached is None or empty, and a rule that needs it could not tell.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.acting import ActionLatency, ActionSweep, ActionTrials
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.endings import EpisodeEnding, VectorMembers
from weaklink.base.evidence.held import ExchangedAttribute, HeldState
from weaklink.base.evidence.masking import ActionMasks
from weaklink.base.evidence.reachable import ReachedStates
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Column, Space
from weaklink.base.evidence.wrapping import WrapperLayer
from weaklink.base.evidence.written import CodeFlaw

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

CUT, TERMINATED, TRUNCATED, BOTH, LIMITED = 0, 1, 2, 3, 4
"""How an episode ended: cut short when time was up, terminated, truncated, both at once, or endless and left alone."""

GIVEN = ("automaton", "cheat")
"""Policies that the user wrote and that are supposed to do well."""

EXPERTS = (*GIVEN, "tabular", "search")
"""Policies that know or search for something. A short Q-learning run is too weak to be called one."""

SUCCESS = ("is_success", "success", "goal_reached", "reached_goal", "goal_achieved", "solved")
"""Keys of info that say whether a step is a success, as environments of Gymnasium and robotics name them."""

RANDOM, ZERO, POLICY, Q_LEARNING = "random", "zero", "policy", "q_learning"


class Play(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Episodes of one policy.

    Arrays over steps hold all episodes one after the other. Observations and actions are kept for the first `kept`
    steps only, flattened, in the order of `survey.columns` and `survey.action.columns`. Where only the returns of a
    policy are known, each stands for an episode of one step. `told_returns` and `told_lengths` are what the info of the
    last step of each episode says of it (`episode`), NaN where it says nothing, None where none does.
    """

    policy: str
    told: str = ""
    rewards: Array
    lengths: Ints
    ends: Ints
    components: dict[str, Array] = {}
    metrics: dict[str, Array] = {}
    raw_rewards: Array | None = None
    told_returns: Array | None = None
    told_lengths: Array | None = None
    observations: Array | None = None
    successors: Array | None = None
    actions: Array | None = None
    seconds: float = 0.0
    returns_only: bool = False

    @property
    def kept(self) -> int:
        """Steps whose observations were kept."""
        return 0 if self.observations is None else len(self.observations)

    @property
    def episodes(self) -> int:
        """Episodes that were played to their end."""
        return int(np.count_nonzero(self.ends != CUT))

    @cached_property
    def starts(self) -> Ints:
        """The step at which each episode begins."""
        return np.asarray(np.cumsum(self.lengths) - self.lengths, dtype=np.int64)

    @cached_property
    def episode_of(self) -> Ints:
        """The number of the episode of each step."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def time(self) -> Ints:
        """The number of each step within its episode, from 0."""
        return np.arange(len(self.rewards)) - np.repeat(self.starts, self.lengths)

    @cached_property
    def returns(self) -> Array:
        """The return of each episode that was played to its end."""
        return np.asarray(self._summed(self.rewards)[self.ends != CUT])

    @cached_property
    def ended_lengths(self) -> Ints:
        """The length of each episode that was played to its end."""
        return np.asarray(self.lengths[self.ends != CUT])

    def discounted(self, gamma: float) -> Array:
        """The discounted return of each episode that was played to its end."""
        return np.asarray(self._summed(self.rewards * gamma**self.time)[self.ends != CUT])

    def to_go(self, gamma: float) -> Array:
        """The discounted sum of rewards from each step to the end of its episode."""
        going, total = np.empty_like(self.rewards), 0.0
        last = set((self.starts + self.lengths - 1).tolist())
        for step in range(len(self.rewards) - 1, -1, -1):
            total = float(self.rewards[step]) + (0.0 if step in last else gamma * total)
            going[step] = total
        return going

    def _summed(self, values: Array) -> Array:
        if not len(self.lengths):
            return np.empty(0)
        return np.add.reduceat(np.append(values, 0.0), self.starts) * (self.lengths > 0)


class TrajectoryComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Two trajectories with the same seed and the same actions, which ought to be the same.

    `kind` is `fresh` (two new instances), `repeated` (one instance, the seed given again at once), `after_play`
    (a new instance against one that has played other episodes before) or `in_turn` (one instance alone against the
    same one while another is stepped in between). `differs_at` is the first step that differs, 0
    for the observation of the reset, None where all is the same; `what` says what differed first: the label of an
    observation column, `reward`, `terminated` or `truncated`, and `gap` by how much. `step_seconds` are those of a step
    of the first and of the second, 0 where they were not timed.
    """

    kind: str
    seed: int
    steps: int
    differs_at: int | None = None
    what: str = ""
    gap: float = 0.0
    step_seconds: tuple[float, float] = (0.0, 0.0)


class Resets(msgspec.Struct, frozen=True, kw_only=True):
    """First observations: under different seeds, of successive resets without one, and of the bare environment inside.

    `draws` says whether a reset drew from the environment's own generator, None where that cannot be seen.
    `reseeded` names generators that a reset sets to one fixed state, `global_draws` global ones that are drawn from.
    """

    seeded: Array
    unseeded: Array
    inner: Array | None = None
    draws: bool | None = None
    reseeded: tuple[str, ...] = ()
    global_draws: tuple[str, ...] = ()


NOT_FINITE, OUT_OF_BOUNDS, NOT_REPEATABLE = "not finite", "out of bounds", "not repeatable"


class CheckerComplaint(msgspec.Struct, frozen=True, kw_only=True):
    """What a checker said of the environment, at the checker's own level: `error`, `warn` or `info`.

    `about` is what it is about, where a rule judges the same thing from more evidence: `NOT_FINITE`, `OUT_OF_BOUNDS` or
    `NOT_REPEATABLE`.
    """

    source: str
    level: str
    text: str
    about: str = ""


class SurveyFault(msgspec.Struct, frozen=True, kw_only=True):
    """Why the survey of an environment ended early.

    `kind` is `raised`, `hung`, `died` (the whole process) or `memory`; `call` the call that did it (`make`, `reset`,
    `step`), `stage` what the survey was doing, `step` how many steps it had made, `where` the innermost frames.
    `choices` are those of a discrete action with which the first step of an episode raises, where others do not.
    """

    kind: str
    stage: str
    call: str = ""
    step: int = 0
    message: str = ""
    where: tuple[str, ...] = ()
    choices: tuple[int, ...] = ()


class SwallowedError(msgspec.Struct, frozen=True, kw_only=True):
    """Something that went wrong inside a step that came back as if nothing had.

    `kind` is `exception` (raised and caught), `log` (logged with level warning or above), `warning` (the module
    warnings), `printed` (a traceback on standard error or output) or `replaced` (non-finite numbers made finite).
    """

    kind: str
    text: str
    where: str = ""
    times: int = 1
    steps: int = 0


class StepTiming(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds: making, one reset and one step (median and 99th percentile), and where a step's time goes."""

    make: float
    reset: float
    step: float
    step_slowest: float
    steps_per_second: float
    spent: tuple[tuple[str, float], ...] = ()


class Survey(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """All that was seen of one environment.

    `facts` has what the environment says of itself: `max_episode_steps`, `reward_threshold`, `nondeterministic`,
    `wrappers`, `framework`. `layers` are the wrappers of the user's choice, the outermost first. `memory` holds pairs
    of steps made and bytes resident. `paid_whatever_done` counts the steps of other courses of action from the same
    seed that all paid the same, 0 where any paid differently, `shown_whatever_done` those that showed the same while
    they paid differently, as in a bandit. `in_place` is the label of what changed in an array that had been handed out
    already, empty where nothing did; `overwritten` the same of an action that a step was given. `lasting` holds, for
    each of several starts, the steps of the longest of many courses of action; it is empty where random play lasts
    anyway. `outlasted` has the length and the end of courses of action that came further than all of random play and
    terminated, where random play never does. `reached` has what any course of actions reaches from each of several
    starts of a small world. `equal_frames` counts the blocks of an observation that are equal to each other in every
    step although they change, 0 where there are none; `frames_held` says whether the environment holds just so many
    arrays in a list, as a stack does. `same_whatever_seed` counts the steps of episodes from different seeds, with the
    same actions, that showed and paid the same, 0 where any differed. `code` has what its own code says by itself, None
    where there is none of the user's own to read.
    """

    name: str
    observation: Space | None = None
    action: Space | None = None
    facts: dict[str, Any] = {}
    seen_columns: tuple[int, ...] | None = None
    complaints: tuple[CheckerComplaint, ...] | None = None
    faults: tuple[SurveyFault, ...] = ()
    plays: dict[str, Play] = {}
    comparisons: tuple[TrajectoryComparison, ...] = ()
    resets: Resets | None = None
    sweeps: tuple[ActionSweep, ...] = ()
    latency: ActionLatency | None = None
    trials: ActionTrials | None = None
    same_whatever_done: bool | None = None
    paid_whatever_done: int | None = None
    shown_whatever_done: int = 0
    in_place: str | None = None
    overwritten: str | None = None
    lasting: tuple[int, ...] = ()
    outlasted: tuple[tuple[int, int], ...] = ()
    reached: tuple[ReachedStates, ...] = ()
    equal_frames: int | None = None
    frames_held: bool = False
    same_whatever_seed: int = 0
    swallowed: tuple[SwallowedError, ...] | None = None
    code: tuple[CodeFlaw, ...] | None = None
    endings: tuple[EpisodeEnding, ...] = ()
    members: VectorMembers | None = None
    layers: tuple[WrapperLayer, ...] = ()
    masks: ActionMasks | None = None
    held: HeldState | None = None
    exchanged: tuple[ExchangedAttribute, ...] = ()
    timing: StepTiming | None = None
    memory: tuple[tuple[int, int], ...] = ()
    shaping: str = ""
    goal_metric: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    stopped: bool = False
    config: Config = Config()

    def __contains__(self, name: object) -> bool:
        """Whether the survey has a play of this name, or this part of itself."""
        return name in self.plays or (isinstance(name, str) and bool(getattr(self, name, None)))

    @property
    def gamma(self) -> float:
        """The discount: the one configured, 0.99 where none is."""
        return self.config.number("gamma") or 0.99

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the observation that were kept."""
        every = () if self.observation is None else self.observation.columns
        return tuple(every[place] for place in self.seen_columns) if every and self.seen_columns else every

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Their labels, such as `observation[3]` or `position[0]`."""
        return tuple(f"observation{one.label}" if one.label[:1] in ("", "[") else one.label for one in self.columns)

    @cached_property
    def column_kinds(self) -> tuple[str, ...]:
        """What kind each is: number, category, binary or pixel."""
        return tuple(column.kind for column in self.columns)

    @cached_property
    def baselines(self) -> dict[str, Play]:
        """Every play with whole episodes, but for a trained policy that was given."""
        return {name: play for name, play in self.plays.items() if name != POLICY and play.episodes}

    @cached_property
    def experts(self) -> dict[str, Play]:
        """The plays of policies that know or search for something."""
        return {name: self.plays[name] for name in EXPERTS if name in self.plays and self.plays[name].episodes}

    @cached_property
    def best(self) -> str:
        """The baseline with the highest mean return; empty where there is none."""
        means = {name: float(play.returns.mean()) for name, play in self.baselines.items()}
        return max(means, key=lambda name: means[name]) if means else ""

    @cached_property
    def rewards(self) -> Array:
        """Every reward of every baseline."""
        return np.concatenate([p.rewards for p in self.plays.values() if not p.returns_only] or [np.empty(0)])

    @cached_property
    def observations(self) -> Array | None:
        """Every observation that was kept, of every play."""
        kept = [play.observations for play in self.plays.values() if play.observations is not None]
        return np.concatenate(kept) if kept else None
