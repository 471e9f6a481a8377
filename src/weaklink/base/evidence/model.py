"""A model as evidence: what was seen of a policy, its critic and their optimizers before any long training.

Plain numbers only, so that a check can travel between processes. None stands for a part that was not or could not be
examined; `notes` and `faults` say why. Every gap and change is relative to the size of the outputs compared.
"""

from __future__ import annotations

import msgspec

from weaklink.base.evidence.survey import SurveyFault

GIVEN, STORED, SAMPLED = "given", "stored", "sampled"
"""Where the observations came from: the caller, the model's own buffers, or draws from its observation space."""


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """One tensor of weights.

    `gradient` is the largest norm of a gradient that arrived in the updates watched, None where none ever did.
    `in_optimizer` says whether some optimizer holds it, `changed` by how much it moved, relative to its size, and
    `used` whether its module was called while gradients were on (None where calls cannot tell).
    `excused` is the reason why a missing gradient is right: a target network, a loss with weight zero.
    """

    name: str
    size: int
    trainable: bool = True
    gradient: float | None = None
    in_optimizer: bool | None = None
    changed: float | None = None
    used: bool | None = None
    excused: str = ""

    @property
    def module(self) -> str:
        """The name of the module that it belongs to."""
        return self.name.rpartition(".")[0] or self.name

    @property
    def reached(self) -> bool:
        """Whether a gradient other than zero arrived; one that is not a number did arrive."""
        return self.gradient is not None and self.gradient != 0.0


class Sensitivity(msgspec.Struct, frozen=True, kw_only=True):
    """How outputs change with the observation.

    `policy` and `value` hold, for each column moved by one standard deviation (a choice: to the next one), the mean
    change of the most changed output; `spread` how far the column was moved, 0.0 where it never varied and was not. The
    overall numbers compare different observations, the far ones observations that were thrown far away as a whole.
    `value` is None where there is no critic.
    """

    rows: int
    labels: tuple[str, ...] = ()
    spread: tuple[float, ...] = ()
    policy: tuple[float, ...] = ()
    value: tuple[float, ...] | None = None
    policy_overall: float = 0.0
    value_overall: float | None = None
    policy_far: float = 0.0
    value_far: float | None = None
    varied: bool = True


class Normaliser(msgspec.Struct, frozen=True, kw_only=True):
    """A running normaliser of observations.

    `samples` counts what its statistics were made of. `clipped` is the share of the given observations' numbers
    that reach the clip; `centre` and `scale` are the largest mean, without its sign, and the largest standard deviation
    of a column once normalised; `narrow` lists columns that vary a hundred times more than the normaliser believes.
    """

    kind: str
    samples: float | None = None
    training: bool | None = None
    clip: float | None = None
    mean_largest: float | None = None
    variance_smallest: float | None = None
    variance_largest: float | None = None
    clipped: float | None = None
    centre: float | None = None
    scale: float | None = None
    narrow: tuple[str, ...] = ()


class RecurrentMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A recurrent state.

    `influence` is the change of outputs between two states without an episode start. `reset_gap` is the same with the
    episode start flagged, where nothing may differ; `sequence_gap` that in a sequence of training with a start inside.
    """

    influence: float
    reset_gap: float
    sequence_gap: float | None = None


class ModelUpdates(msgspec.Struct, frozen=True, kw_only=True):
    """A few real updates of a copy, on stand-in data: observations that were seen, random rewards, random ends.

    `losses` are those of the last update by name. `error` is what an update raised, `where` the place it came from.
    """

    count: int
    losses: dict[str, float] = {}
    non_finite: tuple[str, ...] = ()
    learning_rates: tuple[float, ...] = ()
    error: str = ""
    where: str = ""


class SavedCopy(msgspec.Struct, frozen=True, kw_only=True):
    """A copy that was saved to a temporary folder and loaded again, against the one that was saved.

    `differing` names weights and buffers that came back otherwise; `error` is what saving or loading raised.
    """

    policy_gap: float = 0.0
    value_gap: float | None = None
    differing: tuple[str, ...] = ()
    error: str = ""


class ModelModes(msgspec.Struct, frozen=True, kw_only=True):
    """Evaluation against training mode.

    `repeat_gap` is the change of outputs between two deterministic calls on the same observations, `training_gap` that
    between training and evaluation mode. `layers` are modules that act differently in the two, `active` those of them
    that are still in training mode when the model predicts.
    """

    repeat_gap: float
    training_gap: float | None = None
    layers: tuple[str, ...] = ()
    active: tuple[str, ...] = ()


class ModelCheck(msgspec.Struct, frozen=True, kw_only=True):
    """All that was seen of one model.

    `steps` is how many environment steps it has been trained for, `observations` where those that it was shown came
    from, `gradients` how many gradients arrived at any parameter while a copy was trained.
    """

    algorithm: str = ""
    framework: str = ""
    steps: int | None = None
    recurrent: bool | None = None
    observations: str = ""
    parameters: tuple[Parameter, ...] | None = None
    gradients: int | None = None
    sensitivity: Sensitivity | None = None
    normalisers: tuple[Normaliser, ...] | None = None
    memory: RecurrentMemory | None = None
    updates: ModelUpdates | None = None
    saved: SavedCopy | None = None
    modes: ModelModes | None = None
    notes: tuple[str, ...] = ()
    faults: tuple[SurveyFault, ...] = ()
    seconds: float = 0.0

    def __contains__(self, name: object) -> bool:
        """Whether this part was examined."""
        return isinstance(name, str) and getattr(self, name, None) is not None
