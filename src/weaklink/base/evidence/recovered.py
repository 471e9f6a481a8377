"""What the losses of one update asked for, worked out from gradients: nothing here is what the trainer says of itself.

A weight is that of a loss averaged over a minibatch: the gradient times the rows of its minibatch. None stands for what
could not be told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from weaklink.base.evidence.choices import ActedChoices
from weaklink.base.evidence.series import Array

STATE_VALUES, ACTION_VALUES, ACTION_CRITIC = "state values", "action values", "critic of actions"
ATOMS, QUANTILES = "atoms", "quantiles"
OF_EACH_ACTION = (ACTION_VALUES, ATOMS, QUANTILES)
"""Kinds of heads that value each action by itself, by one number or by a distribution."""

CHOICES, GAUSSIAN, BETA = "choices", "gaussian", "beta"

TERMINAL, LIMIT, LAST = "terminal step", "time limit", "last step of the rollout"
"""Places where a target does not simply go on with the next row."""

NOTHING, OWN_NEXT, OWN_VALUE = "nothing", "the value of its own next observation", "the value of its own observation"
NEXT_VALUE, NEXT_RETURN = "the value of the next episode", "the return of the next episode"
CARRIED, BONUS_ALONE = "lambda times the return of the next episode", "the entropy bonus of a next action"
FIRST_VALUE = "the value of the first observation of the rollout"
LEAKED = "lambda times the advantage of the next episode as well"
"""What a target goes on with there."""

AVERAGED_NEW = "averaged over the action's dimensions in the loss, but added up where they were stored"
AVERAGED_OLD = "added up over the action's dimensions in the loss, but averaged where they were stored"
NO_OLD = "used without subtracting the stored ones"
OTHER_SPREAD = "of another standard deviation than the one that actions are drawn with"
"""What is done with the log-probabilities of a ratio that is none."""


@dataclass(frozen=True, kw_only=True)
class RecoveredEnd:
    """What the targets of one place go on with, in every one of so many rows; one of them as an example."""

    place: str
    goes_on_with: str
    rows: int
    reward: float
    target: float


@dataclass(frozen=True, eq=False, kw_only=True)
class RecoveredValues:
    """What the loss of one head of values pulls towards.

    Attributes:
        kind: STATE_VALUES, ACTION_VALUES, ACTION_CRITIC, ATOMS or QUANTILES.
        loss: `square` or `huber`; empty where it is neither.
        weight: of the error, so that a mean of squares has 2.
        targets: (rows of the tape,) for STATE_VALUES, else (n,) by row of the minibatches; NaN where not known. Of
            ATOMS their means, counted in atoms.
        unexplained: what this leaves of the gradients, or of the targets' spread where lines were fitted.
        gamma: the discount that the targets show.
        lam: the lambda of their estimator.
        soft: the weight of the log-probability in the next value.
        source: which answers the next value is made of.
        compared: rows whose moved entry can be compared with the action that was taken.
        other: the share of them in which another action's entry is moved.
        all_alike: whether one number is the target of all actions of a row, or of all rows of a minibatch although
            they were rewarded differently, or other minibatches have another number.
        silent: the share of gradients that are exactly zero.
        ends: what targets go on with where episodes and the rollout end, as far as that is known.
        terminals: rows of a buffer with which an episode ended otherwise than by a time limit.
        lag: whose action's entry is moved, where that is not the row's own: -1 for the step before.
        largest: whether the entry that is moved is the largest one of its row, whatever action was taken.
        scale: what rewards are multiplied by before targets are made of them.
        preferred: whether the entry that is moved is that of the action which the network preferred when it acted,
            though another one was taken.
        beyond: the share of the targets of ATOMS that lies beyond the first or the last of them.
    """

    head: str
    kind: str
    loss: str = ""
    weight: float | None = None
    targets: Array | None = None
    unexplained: float | None = None
    gamma: float | None = None
    lam: float | None = None
    soft: float | None = None
    source: str = ""
    compared: int = 0
    other: float = 0.0
    all_alike: bool = False
    silent: float = 0.0
    ends: tuple[RecoveredEnd, ...] = ()
    terminals: int = 0
    lag: int = 0
    largest: bool = False
    scale: float = 1.0
    preferred: bool = False
    beyond: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class RecoveredPolicy:
    """What the loss of one head of a policy scores, and how strongly.

    Attributes:
        kind: CHOICES, GAUSSIAN or BETA.
        compared: rows that tell which action was scored.
        other: the share of them that score another action than the one taken.
        explained: the share of them that some scored action and an entropy bonus explain.
        unexplained: what the actions that were taken and an entropy bonus leave of the gradients.
        entropy_weight: of the bonus, below 0 where entropy is lowered.
        correlation: of the weights with the advantages of their own rows, within minibatches, rows near a ratio of 1.
        repeated: of the weights of one row with those of the same row in later minibatches.
        constant: whether all weights are one number.
        weighed: rows that were asked for the three above.
        clip_range: between which two distances of the ratio from 1 rows lose their weight.
        normalised: whether advantages have a scale of their own in each minibatch.
        first_ratios: (m,) logarithms of the ratio to the policy that acted, of rows in the first minibatch; where the
            loss shows no ratio, None.
        last_ratios: (m,) the same of the same rows when they came for the last time.
        used_ratio_spread: the largest distance from 1 of the ratios in the loss: 0 where it has none.
        clipped: of the rows beyond the clip range, the share without weight: of those that their advantage drives
            outwards, and of those that it drives back.
        at_bound: (m,) which of the rows of `first_ratios` have an action at a bound; None where none has.
        ratio: what the ratio is made of where it is none, one of the names above; empty where nothing such fits.
        ratio_range: from where to where it goes before the first optimizer step, where it should be 1.
        renewed: where the stored log-probabilities are taken anew from the policy that learns, in between the epochs:
            from where to where the ratio to the policy that acted went by then.
        capped: rows of the first minibatch without weight, because their advantages are larger than all others.
        averaged: whether the ratio is that of log-probabilities averaged over the dimensions of an action.
        lag: how many steps after its own row the scored action was taken; 0 where no other step fits.
        twice: whether the loss takes probabilities for logits, so that a softmax is applied twice.
        weight_spread: the standard deviation of the weights of rows, in the units of the entropy bonus's weight.
        evenness: the mean entropy of the choices, as a share of that of a uniform policy.
        drawn: rows whose action is compared with the probabilities of the policy that acted.
        likeliest: the share of them in which the likeliest action was taken.
        expected: the share that is to be expected of it.
        sharpness: what logits are multiplied by in the probabilities that actions were drawn from, as far as the
            actions tell.
        sharper: by how many standard deviations the actions differ from draws of the policy itself, above 0 where
            likely ones were taken too often.
        recoded: the actions that are scored as another one, each always as the same: what was taken, what is scored.
        order: how the actions of a rollout must be rearranged to be those that are scored; empty where nothing helps.
        baseline: how many times its value the critic is subtracted from the returns, where that is not once.
        unscored: how many of several choices have no weight in the loss, although others have.
        stored_other: the share of rows for which the log-probability of another choice was stored.
        ends: what its advantages go on with where episodes end, if they follow the critic's in all other rows alone.
    """

    head: str
    kind: str
    compared: int = 0
    other: float = 0.0
    explained: float = 0.0
    unexplained: float | None = None
    entropy_weight: float | None = None
    correlation: float | None = None
    repeated: float | None = None
    constant: bool = False
    weighed: int = 0
    clip_range: tuple[float, float] | None = None
    normalised: bool | None = None
    first_ratios: Array | None = None
    last_ratios: Array | None = None
    used_ratio_spread: float | None = None
    clipped: tuple[float, float] | None = None
    at_bound: Array | None = None
    ratio: str = ""
    ratio_range: tuple[float, float] = (1.0, 1.0)
    renewed: tuple[float, float] | None = None
    capped: int = 0
    averaged: bool = False
    lag: int = 0
    twice: bool = False
    weight_spread: float | None = None
    evenness: float | None = None
    drawn: int = 0
    likeliest: float = 0.0
    expected: float = 0.0
    sharpness: float = 1.0
    sharper: float = 0.0
    recoded: tuple[tuple[int, int], ...] = ()
    order: str = ""
    baseline: float | None = None
    unscored: int = 0
    stored_other: float = 0.0
    ends: tuple[RecoveredEnd, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class RecoveredClimb:
    """An actor's loss that looks at a critic: its weight there, below 0 where it climbs, and in which share of rows."""

    head: str
    weight: float
    share: float


@dataclass(frozen=True, kw_only=True)
class RecoveredFlaw:
    """Something that an update does and must not do.

    Attributes:
        kind: one of `flaw_kinds`.
        head: at which it shows.
        count: the rows or steps that show it.
        of: those that were looked at.
        number: what belongs to the kind: a lag, a rate, an entropy.
        other: a second number, such as the one that it should be.
    """

    kind: str
    head: str
    count: int
    of: int
    number: float = 0.0
    other: float = 0.0


@dataclass(frozen=True, kw_only=True)
class RecoveredGradients:
    """What became of the gradient of one head between backward and the steps of its optimizer.

    Attributes:
        steps: that were compared.
        kept: the share of them whose gradient also holds that of the step before.
        cleared: the share of them whose gradient is zero although the losses asked for something.
        leaked: of those that follow a step of an actor which climbs the head, the share whose gradient also holds what
            the actor's loss asked of it.
    """

    head: str
    steps: int
    kept: float
    cleared: float
    leaked: float = 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class RecoveredUpdate:
    """All that was worked out of one update.

    Attributes:
        epochs: how often a row of the rollout was learned from; None for replay.
        minibatch: the rows of a minibatch.
        settings: what the trainer was set to, by canonical name, where that is known.
        variables: the settings that only variables of the script tell.
        resets: steps that only reset an environment and were learned from all the same, each once.
        possible_resets: how many such steps there were.
        flaws: of observations and replayed rows, target networks, actors and temperatures.
        looked: the kinds of flaws that would have shown.
        gradients: what the optimizers step with, for each head of which that could be compared.
        unmoved: heads that a loss asks something of, in the rows that others learn from, and no optimizer moves.
        learned: rows that a loop of short rollouts learned from, each time.
        stale: those of them that belong to an earlier rollout than the one that was just collected.
        past_end: steps that an environment made after its episode had ended, without a reset.
        stepped: all steps among which these were looked for.
        number: of the update, from 1.
        choices: the actions that a trainer of action values took; None where that cannot be told.
        noise: of how many actions of an actor that climbs a critic the noise pushes up, and down; None where that is
            not known.
        exact: how many steps were collected whose action is exactly what an actor that climbs a critic answered, 0
            where they are not; None where that cannot be told.
    """

    values: tuple[RecoveredValues, ...] = ()
    policies: tuple[RecoveredPolicy, ...] = ()
    climbs: tuple[RecoveredClimb, ...] = ()
    epochs: float | None = None
    minibatch: int | None = None
    settings: Mapping[str, float] = field(default_factory=dict)
    variables: frozenset[str] = frozenset()
    resets: int = 0
    possible_resets: int = 0
    flaws: tuple[RecoveredFlaw, ...] = ()
    looked: frozenset[str] = frozenset()
    gradients: tuple[RecoveredGradients, ...] = ()
    unmoved: tuple[str, ...] = ()
    learned: int = 0
    stale: int = 0
    past_end: int = 0
    stepped: int = 0
    number: int = 0
    choices: ActedChoices | None = None
    exact: int | None = None
    noise: tuple[int, int] | None = None
