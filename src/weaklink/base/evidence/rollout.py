"""A look inside the loop: the experience of one update, what the trainer made of it, and what the update changed.

Arrays have time first, then environments: (T,) or (T, N), with further axes behind. None stands for a part that was not
seen; a rule that needs it could not tell. One update may be looked at twice: after collecting and after learning.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.model import Parameter
from weaklink.base.evidence.recovered import RecoveredUpdate

Array = NDArray[Any]

COLLECTED, UPDATED = "collected", "updated"
"""When a look was taken: before the first gradient step on fresh experience, or after the last."""

PROMPT, COMPLETION, TOOL, PADDING = 0, 1, 2, 3


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimates:
    """What was made of rewards and values.

    `values[t]` belongs to the observation before step t, `last_value` to the one after the last step. `terminated` and
    `truncated` belong to the step that they end; where the trainer does not tell them apart, `terminated` holds
    every end and `truncated` is None. `final_values` are the values of the last observations of episodes, read at
    ends alone; None where the trainer does not know them. `normalised` says that advantages were scaled on purpose.
    """

    rewards: Array
    values: Array | None = None
    terminated: Array | None = None
    truncated: Array | None = None
    last_value: Array | float | None = None
    final_values: Array | None = None
    gamma: float | None = None
    lam: float | None = None
    advantages: Array | None = None
    returns: Array | None = None
    normalised: bool = False

    @property
    def ended(self) -> Array | None:
        """Where an episode ended, for whichever reason."""
        if self.terminated is None or self.truncated is None:
            return self.terminated
        return np.asarray(np.asarray(self.terminated, bool) | np.asarray(self.truncated, bool))


@dataclass(frozen=True, eq=False, kw_only=True)
class Targets:
    """One-step targets of a batch from a replay buffer, a number a row.

    `next_values` is what the target network says of the next observation, with whatever the algorithm takes off it
    already (the smaller of twins, the entropy term); `own_values` the same of the observation itself, `online_values`
    of the next observation by the network that learns. `also_right` are other next values that are right (double Q),
    `mistaken` those of known mistakes, by name. `exact` is False where random draws of the trainer cannot be repeated,
    so that only a known mistake that fits to the last digit may be named.
    """

    rewards: Array
    terminated: Array
    next_values: Array
    targets: Array
    gamma: float
    truncated: Array | None = None
    own_values: Array | None = None
    online_values: Array | None = None
    also_right: tuple[Array, ...] = ()
    mistaken: dict[str, Array] = field(default_factory=dict)
    exact: bool = True


@dataclass(frozen=True, eq=False, kw_only=True)
class Probabilities:
    """Log-probabilities of the stored actions, flat.

    `stored` was kept while collecting, `fresh` is what the policy says before the first gradient step on these rows,
    `after` what it says after the last one. `floor` is how far two evaluations of one policy lie apart (another batch
    size). `used_ratio_spread` is the largest distance of ratios from 1 in the loss; `clipped` are actions at a bound.
    """

    stored: Array
    fresh: Array | None = None
    after: Array | None = None
    floor: float = 0.0
    epochs: int | None = None
    clip_range: float | None = None
    used_ratio_spread: float | None = None
    clipped: Array | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class PolicySpread:
    """How random the policy is: entropies a row, the largest that is possible (None where there is none), and the
    standard deviation of each action dimension beside half of its range."""

    entropy: Array | None = None
    largest_entropy: float | None = None
    action_std: Array | None = None
    action_scale: Array | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class RolloutActions:
    """One action at three places: as it was drawn, as it was stored, and as the environment got it. `executed` may lie
    in other units than `stored` (`rescaled`), or be clipped to the bounds, which is how PPO is done."""

    stored: Array
    sampled: Array | None = None
    executed: Array | None = None
    rescaled: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Pairing:
    """What the environment gave and what was stored for the same steps, in the order of time.

    Observations are flattened to (T, N, D). `next_observations` are the stored ones; after an end they should be the
    last of the episode (`final_observations`, read at ends alone), never the first of the next, unless the trainer
    masks them. `given_*` is what `env.step` returned. `*_bonus` is what may be added on purpose: the discounted value
    of the last observation at a time limit.
    """

    observations: Array | None = None
    next_observations: Array | None = None
    final_observations: Array | None = None
    given_observations: Array | None = None
    rewards: Array | None = None
    given_rewards: Array | None = None
    reward_bonus: Array | None = None
    ended: Array | None = None
    stored_ended: Array | None = None
    given_terminated: Array | None = None
    given_truncated: Array | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Minibatch:
    """Rows of a minibatch, by name of the column: the numbers that were drawn and those of the rollout's own rows."""

    columns: dict[str, tuple[Array, Array]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Storage:
    """How rows are kept: `shared` names arrays in one memory, `repeated` is the share of observations stored twice."""

    shared: tuple[str, ...] = ()
    repeated: float | None = None
    rows: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class SampleAges:
    """Updates between the collecting of each sample and the learning from it. `tolerated` is what the algorithm stands:
    0 for on-policy, None for replay."""

    updates: Array
    tolerated: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class LossCall:
    """Two tensors that met in a loss: what they were, and their shapes, which broadcasting may have joined."""

    name: str
    left: tuple[int, ...]
    right: tuple[int, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class CriticCopyFit:
    """A copy of the critic alone, trained on the returns of one fixed rollout: residual variance before and after.
    `table` is the same for a lookup of repeated observations, None where none repeat: what no critic can beat."""

    before: float
    after: float
    updates: int
    rows: int
    table: float | None = None
    best: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightMovement:
    """What an update did to the weights: each parameter with its gradient, its change and its optimizer.
    `all_optimizers` says that there are no others than those known."""

    parameters: tuple[Parameter, ...]
    optimizer_steps: int
    learning_rate: float | None = None
    all_optimizers: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class TargetNetwork:
    """A slow copy: relative distance to the online network after each update seen, and how far it moved between them.

    `shared` says that both use the same memory. `interval` is after how many updates it is copied (1 with a rate below
    1 means a little each time), `updates` how many gradient steps were made since the first look.
    """

    name: str
    distances: tuple[float, ...]
    moved: tuple[float, ...]
    online_moved: tuple[float, ...]
    shared: bool = False
    interval: int | None = None
    rate: float | None = None
    updates: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class Recurrence:
    """A recurrent policy: how far stored log-probabilities lie from those that a replay of the stored sequences gives,
    with states reset at episode starts and, for comparison, without; and the norm of the state at those starts."""

    replay_gap: float
    unreset_gap: float | None = None
    state_at_starts: float | None = None
    starts: int = 0
    floor: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class NormaliserUse:
    """A running normaliser: how many samples it counted against how many steps were taken since the last look.

    `evaluation_counted` is what was counted while an evaluation ran, `evaluation_lacks` how many of the training's
    samples the evaluation's statistics were without. `resumed` says that the training went on from an earlier one,
    `restored` whether its statistics came with it.
    """

    name: str
    counted: float
    steps: float
    evaluation_counted: float = 0.0
    evaluation_lacks: float = 0.0
    resumed: bool = False
    restored: bool | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Temperature:
    """The temperature of a soft algorithm: its logarithm before and after an update, and by how much the policy's
    entropy (known up to `entropy_error`) exceeded the target in that batch, which should have lowered it."""

    before: float
    after: float
    entropy_excess: float
    target_entropy: float | None = None
    largest_entropy: float | None = None
    entropy_error: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class SamplerLogProbs:
    """Log-probabilities of a batch of tokens by the engine that sampled and by the trainer: (rows, tokens) and a mask.

    `temperature` is that of the sampling, `floor` the stack's noise; `foreign`: another engine sampled. `checksums` are
    of the sampler's weights after successive updates, `trainer_moved` how far the trainer's moved between them.
    """

    sampled: Array | None = None
    trained: Array | None = None
    mask: Array | None = None
    untempered: Array | None = None
    temperature: float | None = None
    floor: float = 0.0
    foreign: bool = False
    checksums: tuple[float, ...] = ()
    trainer_moved: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class LossTokenMask:
    """Which tokens the loss counts, (rows, tokens), beside what each token is: `kinds` holds PROMPT, COMPLETION, TOOL
    or PADDING for each; `ends` marks the end-of-sequence tokens that the model itself wrote."""

    counted: Array
    kinds: Array
    ends: Array | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class CompletionGroups:
    """Rewards and advantages of completions; `prompts` numbers the prompt of each row, `size` is the group size that
    the trainer was told. `scale` is what it should divide by: the spread of each `group`, of the `batch`, or `none`;
    empty where not known. With `leave_one_out` each reward is compared with the mean of the others."""

    rewards: Array
    advantages: Array
    prompts: Array
    size: int
    centred: bool = True
    scale: str = ""
    leave_one_out: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class ReferenceKl:
    """KL to the reference model, a number a row, before the first optimizer step; `floor` is the stack's noise."""

    kl: Array
    floor: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Rollout:
    """One look at one update."""

    step: float
    update: int
    moment: str = COLLECTED
    algorithm: str = ""
    framework: str = ""
    family: str = ""
    estimates: Estimates | None = None
    targets: Targets | None = None
    probabilities: Probabilities | None = None
    spread: PolicySpread | None = None
    actions: RolloutActions | None = None
    pairing: Pairing | None = None
    minibatch: Minibatch | None = None
    storage: Storage | None = None
    ages: SampleAges | None = None
    losses: tuple[LossCall, ...] | None = None
    fit: CriticCopyFit | None = None
    movement: WeightMovement | None = None
    target_networks: tuple[TargetNetwork, ...] | None = None
    recurrence: Recurrence | None = None
    normalisers: tuple[NormaliserUse, ...] | None = None
    temperature: Temperature | None = None
    sampler: SamplerLogProbs | None = None
    tokens: LossTokenMask | None = None
    groups: CompletionGroups | None = None
    reference: ReferenceKl | None = None
    recovered: RecoveredUpdate | None = None
    notes: tuple[str, ...] = ()

    def __contains__(self, name: object) -> bool:
        """Whether this part was seen."""
        return isinstance(name, str) and getattr(self, name, None) is not None
