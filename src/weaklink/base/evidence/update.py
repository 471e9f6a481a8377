"""An update as it was seen from outside: what the environments gave, what the networks answered, what each loss asked.

Nothing here is what the trainer says of itself. Observations, actions and gradients are (rows, columns); a row of
the tape is one step of one member of the environments.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from weaklink.base.evidence.rollout import Array, LossCall

UNMATCHED = -1
"""The row of what was found nowhere on the tape, or at several places that cannot be told apart."""

FORGOTTEN = 0.01
"""The share of steps that may be missing at the beginning of a tape that counts as whole."""

COLLECTING, LEARNING = "collecting", "learning"
"""When a network answered without a gradient: while the environments were stepped, or between optimizer steps."""


def strip_numbers(head: str) -> str:
    """The name of a head without the number of its network: that of the same layer in every copy."""
    return re.sub(r"\(\d+\)", "", head)


def is_part(head: str, network: str) -> bool:
    """Whether a head is a network or a layer inside it, by their names."""
    return head == network or head.startswith(f"{network}.")


@dataclass(frozen=True, slots=True, eq=False)
class Tape:
    """What the environments really gave and were given, the last so many rows; row = time * members + member.

    `rewards` are what the trainer was given, behind every wrapper. `next_observations` is what followed the action, the
    last observation of the episode where it ended. `fillers` marks steps of an automatic reset: the environment
    ignored the action. `known` is False where the observation that followed an end was not given to the trainer.

    Attributes:
        stamps: (rows,) how many steps all environments together had made before; what a network was asked after the
            same number of steps was asked for this one.
        observations: (rows, columns) what the trainer saw before the step, in the type that it came in.
        actions: (rows, ...) what the environment was given.
        members: environments that are stepped together.
        first: how many times (steps of all members) were forgotten before the first row.
        environment: its class, for messages.
        resets: (rows,) whether the environment was reset after the step, by itself or by the loop; None where nobody
            knows.
        begun: how often its environments were reset by the loop so far.
        reseeded: how often with the seed of the reset before, although they draw their first observation.
        bounds: (2, dimensions) the lowest and the highest action of the environment's space; None where it has none.
        places: its environments, by their identity in the process.
        choices: how many actions its space has to choose from; 0 where it is none such.
        masks: (rows, choices) which choices the environment called valid before the step; None where it calls none so.
        states: (rows,) the numbers that the environment gave, where `observations` holds what stands for them.
    """

    observations: Array
    actions: Array
    rewards: Array
    terminated: Array
    truncated: Array
    next_observations: Array
    fillers: Array
    known: Array
    stamps: Array
    members: int
    first: int = 0
    environment: str = ""
    resets: Array | None = None
    begun: int = 0
    reseeded: int = 0
    bounds: Array | None = None
    places: tuple[int, ...] = ()
    choices: int = 0
    masks: Array | None = None
    states: Array | None = None

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.rewards)

    @property
    def times(self) -> int:
        """How many steps of all members there are."""
        return self.rows // max(self.members, 1)

    @property
    def is_whole(self) -> bool:
        """Whether next to nothing came before its first row; a loop may reset an environment before it is heard."""
        return self.first <= FORGOTTEN * self.times


@dataclass(frozen=True, slots=True, eq=False)
class HeadCall:
    """One pass through a head in a measured update, and what the loss asked of it.

    Attributes:
        head: the module's qualified name where it is known ("agent.critic.4"), else its class and number.
        step: which optimizer step of the update it belongs to, from 0.
        inputs: (n, d) what the outermost module that took in data was given, rows flattened.
        outputs: (n, k).
        gradients: (n, k) of what backward was called on, summed over the calls of backward before that step.
        rows: (n,) the row on the tape of each row, `UNMATCHED` where none is known.
        stamp: how many steps all environments together had made when it was asked.
        made: (n, e) the part of its input that other networks made in the same graph, such as an actor's action.
        passed: how many optimizer steps of the update were made before the pass; None where that is not known.
        climbed: whether the gradient went on to another head, as that of a critic to an actor.
        after: whether it was given the observations that followed its rows.
        entrance: the outermost module that took in its inputs, by its identity in the process; 0 where that is not
            known.
        door: the outermost module of the pass itself, whether it took in numbers or what other modules made of them.
        tokens: (sequences, places) the whole numbers that a network over sequences was given: its rows are their
            places, one sequence after the other. None where it was given none.
    """

    head: str
    step: int
    inputs: Array
    outputs: Array
    gradients: Array
    rows: Array
    stamp: int = 0
    made: Array | None = None
    passed: int | None = None
    climbed: bool = False
    after: bool = False
    entrance: int = 0
    door: int = 0
    tokens: Array | None = None

    @property
    def moment(self) -> int:
        """How many optimizer steps of the update were made before the pass, as far as that is known."""
        return self.step if self.passed is None else self.passed

    def goes_with(self, answer: HeadAnswer) -> bool:
        """Whether an answer was given between the pass and its optimizer step; another one may step in between."""
        return self.moment <= answer.step <= self.step


@dataclass(frozen=True, slots=True, eq=False)
class HeadAnswer:
    """What a head answered without a gradient, row by row.

    Attributes:
        when: `COLLECTING` up to the first optimizer step of the update, `LEARNING` from then on.
        step: how many optimizer steps of the update were made by then.
        rows: (n,) the row on the tape whose `observations` it was asked about, `UNMATCHED` where none is known.
        next_rows: (n,) the same for `next_observations`.
        entrance: as of a call.
        tokens: as of a call.
    """

    head: str
    when: str
    step: int
    inputs: Array
    outputs: Array
    rows: Array
    next_rows: Array
    stamp: int = 0
    entrance: int = 0
    tokens: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FreeParameter:
    """A parameter that no layer has (a log_std, a temperature), before an optimizer step.

    Attributes:
        idle: whether a loss asks something of it and no optimizer holds it.
    """

    name: str
    step: int
    values: Array
    gradient: Array | None
    idle: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class LayerTrace:
    """A layer that gives answers, just before an optimizer step: the last one of a network that learns or of its copy.

    Attributes:
        head: as in the calls and answers.
        step: which optimizer step of the update is about to be made.
        weights: (k,) some of its weights, always the same ones.
        learns: whether the optimizer is about to move it.
        rate: the learning rate that it is moved with, where the optimizer is one of the kind of Adam.
        decay: how many times as large as the gradient of the losses what weight decay adds to it is, 0 without any.
        fresh: whether an optimizer of the kind of Adam has never moved it before.
    """

    head: str
    step: int
    weights: Array
    learns: bool
    rate: float | None = None
    decay: float = 0.0
    fresh: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class HeadStep:
    """What an optimizer is about to move the bias of a head with, beside what the losses of that step asked of it.

    Attributes:
        step: which optimizer step of the update it is, from 0.
        asked: (k,) the gradients that arrived at the head's outputs since the step before, summed over all rows.
        held: (k,) the gradient that the bias has when the optimizer steps; zeros where it has none.
    """

    head: str
    step: int
    asked: Array
    held: Array


@dataclass(frozen=True, slots=True, eq=False)
class MemoryPass:
    """One pass of a recurrent layer, and how much memory it was given.

    Attributes:
        layer: its name.
        step: how many optimizer steps of the update were made before.
        stamp: how many steps all environments together had made.
        length: the steps of a sequence that it took in at once.
        sizes: (rows,) the sum of the sizes of all numbers in the memory of each row; 0 for an empty one.
    """

    layer: str
    step: int
    stamp: int
    length: int
    sizes: Array


@dataclass(frozen=True, slots=True)
class LimitedStep:
    """A gradient that was clipped, when its optimizer steps with it.

    Attributes:
        step: the number of the optimizer step within the update.
        limit: the norm that it was clipped to.
        norm: that it has.
    """

    step: int
    limit: float
    norm: float


@dataclass(frozen=True, slots=True, eq=False)
class UpdateReading:
    """Everything that was seen of one update.

    Attributes:
        update: its number, from 1.
        steps: how many optimizer steps it took.
        left_out: what was not captured or not matched, a sentence each.
        losses: the shapes that met in losses of the library, the prediction first; None where none was called.
        layers: heads and the same layers of their copies, before optimizer steps.
        head_steps: what heads are moved with, beside what was asked of them.
        unmoved: passes of heads that a loss asks something of and that no optimizer moved.
        unasked: heads that an optimizer holds, that were asked in the graph, and of which no loss asked anything.
        shared: variables that are called targets and hold weights of the network that learns.
        limited: the gradients that were clipped, as they are when their optimizers step.
        settings: hyper-parameters by canonical name, as the variables of the user's code have them.
        draws: digests of the states of random generators, by their names, when networks were first asked after so many
            steps of all environments.
        memories: the passes of recurrent layers, in the order of time.
    """

    update: int
    steps: int
    tape: Tape
    calls: tuple[HeadCall, ...] = ()
    answers: tuple[HeadAnswer, ...] = ()
    parameters: tuple[FreeParameter, ...] = ()
    left_out: tuple[str, ...] = ()
    losses: tuple[LossCall, ...] | None = None
    layers: tuple[LayerTrace, ...] = ()
    head_steps: tuple[HeadStep, ...] = ()
    unmoved: tuple[HeadCall, ...] = ()
    unasked: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    limited: tuple[LimitedStep, ...] = ()
    settings: Mapping[str, float] = field(default_factory=dict)
    draws: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    memories: tuple[MemoryPass, ...] = ()

    def of_head(self, head: str) -> tuple[HeadCall, ...]:
        """The calls of one head, in the order of time."""
        return tuple(call for call in self.calls if call.head == head)

    @property
    def heads(self) -> tuple[str, ...]:
        """The names of all heads that a loss asked something of, in the order of their first call."""
        return tuple(dict.fromkeys(call.head for call in self.calls))
