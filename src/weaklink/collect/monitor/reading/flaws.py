"""All that an update does and must not do with rows, targets, actors and temperatures, and what would have shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import (
    ACROSS_ACTIONS,
    ACROSS_ROWS,
    ACTION_LAG,
    AT_OWN_OBSERVATION,
    CUT_OBSERVATIONS,
    CUT_ROWS,
    DECAY,
    DRAWN_ANEW,
    DROWNED,
    EMPTY_MEMORY,
    ENDS_LOST,
    ENTROPY_ALONE,
    ENTROPY_SIGN,
    FAST_RATE,
    FRESH,
    HIGH_ENTROPY,
    LATE_ACTING,
    LOST_MEMORY,
    LOST_RESETS,
    MERGED_STATES,
    NEVER_COLLECTED,
    NO_ENTROPY,
    NO_FUTURE,
    NO_NOISE,
    NO_TARGET_LAG,
    ONE_DISCOUNT,
    OTHER_ACTING,
    OTHER_ACTIONS,
    OTHER_MEMORY,
    OTHER_NEXT,
    OWN_SCALES,
    PUSHED_CRITIC,
    REWARD_LAG,
    REWARD_LOST,
    REWARD_SHIFT,
    REWARD_SIGN,
    RISING_WEIGHTS,
    SAME_NOISE,
    TARGET_ENTROPY,
    TEMPERATURE_SIGN,
    THROUGH_TARGET,
    UNASKED_CRITIC,
    UNCORRECTED_LOG_PROB,
    UNREACHED_ACTOR,
    WIDE_ENTROPY,
)
from weaklink.base.evidence.recovered import ACTION_CRITIC, OF_EACH_ACTION, RecoveredFlaw, RecoveredValues
from weaklink.base.evidence.update import HeadCall, LayerTrace, UpdateReading
from weaklink.collect.monitor.reading.acted_late import find_late_acting
from weaklink.collect.monitor.reading.acted_observations import find_acting_flaws
from weaklink.collect.monitor.reading.acting import find_noise_flaws
from weaklink.collect.monitor.reading.actors import (
    find_entropy_alone,
    find_pushed,
    find_temperature_flaws,
    find_unreached,
    measure_bonus,
)
from weaklink.collect.monitor.reading.critic_actions import OF_UNITS, find_unit_flaws
from weaklink.collect.monitor.reading.drawn_actions import OF_ACTIONS, find_action_flaws
from weaklink.collect.monitor.reading.given_memories import find_memory_gaps
from weaklink.collect.monitor.reading.given_observations import OF_OBSERVATIONS, find_observation_flaws
from weaklink.collect.monitor.reading.importance_weights import find_one_sided_draws
from weaklink.collect.monitor.reading.lines import measure_spread
from weaklink.collect.monitor.reading.memories import find_memory_flaws
from weaklink.collect.monitor.reading.merged_states import find_merged_states
from weaklink.collect.monitor.reading.other_next_rows import find_other_next
from weaklink.collect.monitor.reading.own_actions import find_own_actions
from weaklink.collect.monitor.reading.own_scales import find_own_scales
from weaklink.collect.monitor.reading.played_aside import find_played_aside
from weaklink.collect.monitor.reading.replayed_rows import find_row_flaws, is_looked_at
from weaklink.collect.monitor.reading.softmax_dimensions import find_wrong_softmax
from weaklink.collect.monitor.reading.stale_starts import find_stale_starts
from weaklink.collect.monitor.reading.tape_rows import TakenActions
from weaklink.collect.monitor.reading.target_networks import find_target_flaws
from weaklink.collect.monitor.reading.unasked import find_unasked

FASTEST, MOSTLY = 0.1, 0.5
"""The learning rate from which on no usual trainer steps, and the share of the size of the weights that it must be."""

FEWEST_FRESH = 4
"""Steps of one update that must all be the first of their optimizer."""

SEEN = 0.02
"""The share of the spread of targets that an entropy term must amount to for it to be missed where it is not there."""

NO_DISCOUNT = 1e-3
"""A discount below which the next value has no weight."""

OUTWEIGHS, NEARLY_ALL = 2.0, 0.9
"""How many times as large as the loss's gradient the decay of the weights must be, and in which share of steps."""

OF_TARGETS = (
    AT_OWN_OBSERVATION,
    THROUGH_TARGET,
    REWARD_LAG,
    REWARD_SIGN,
    REWARD_LOST,
    REWARD_SHIFT,
    ONE_DISCOUNT,
    NO_TARGET_LAG,
    ENDS_LOST,
    RISING_WEIGHTS,
)
OF_ROWS = (ACTION_LAG, OTHER_ACTIONS, DRAWN_ANEW, NEVER_COLLECTED, CUT_OBSERVATIONS, LOST_RESETS, OTHER_NEXT)
OF_SOFT = (ENTROPY_SIGN, UNCORRECTED_LOG_PROB)
OF_TEMPERATURES = (TEMPERATURE_SIGN, TARGET_ENTROPY, HIGH_ENTROPY, WIDE_ENTROPY, NO_ENTROPY)


def _list_acting(reading: UpdateReading, taken: TakenActions, critics: Sequence[RecoveredValues]) -> tuple[str, ...]:
    """The heads that may choose actions: a critic that is asked right before a step may be asked about the last one."""
    values = {each.head for each in critics if each.kind not in OF_EACH_ACTION}
    alone = {each.head for each in reading.answers if taken.discrete and each.outputs.shape[1] == 1}
    return tuple(dict.fromkeys(each.head for each in reading.answers if each.head not in values | alone))


def find_flaws(
    reading: UpdateReading, taken: TakenActions, critics: Sequence[RecoveredValues]
) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
    """The flaws of an update, and the kinds of which one would have shown.

    Args:
        reading: of the update.
        taken: the actions of the tape.
        critics: all heads of values.
    """
    replayed = [each for each in critics if each.kind in (*OF_EACH_ACTION, ACTION_CRITIC)]
    known = [each.head for each in replayed if each.gamma is not None]
    calls = {head: [call for call in reading.of_head(head) if not call.climbed] for head in known}
    temperatures, told = find_temperature_flaws(reading)
    observed, seen = find_observation_flaws(reading)
    late = find_late_acting(reading)
    acted, compared = find_acting_flaws(reading)
    drawn, bounded = find_action_flaws(reading, taken)
    units, squashed = find_unit_flaws(reading, taken)
    rows = find_row_flaws(reading, taken)
    acting = _list_acting(reading, taken, critics)
    rated = [trace for trace in reading.layers if trace.rate is not None]
    if any(flaw.kind == CUT_OBSERVATIONS for flaw in rows):
        observed = tuple(flaw for flaw in observed if flaw.kind != CUT_ROWS)
    elif any(flaw.kind == CUT_ROWS for flaw in observed):  # rows that were cut to zeros were collected all the same
        rows = tuple(flaw for flaw in rows if flaw.kind != NEVER_COLLECTED)
    lagging = (
        RecoveredFlaw(kind=ACTION_LAG, head=each.head, count=each.compared, of=each.compared, number=each.lag)
        for each in replayed
        if each.lag
    )
    flaws = (
        *find_wrong_softmax(reading, taken),
        *lagging,
        *(flaw for each in replayed for flaw in find_one_sided_draws(_list_own(reading, each.head))),
        *(flaw for each in replayed for flaw in find_other_next(reading, each.head)),
        *rows,
        *(() if any(flaw.kind == LOST_RESETS for flaw in rows) else find_stale_starts(reading, acting)),
        *late,
        *(() if late else observed),
        *(() if late or observed else acted),
        *find_own_scales(reading),
        *find_merged_states(reading),
        *find_own_actions(reading, taken),
        *find_played_aside(reading),
        *(tuple(find_memory_flaws(reading, critics)) or find_memory_gaps(reading, critics)),
        *drawn,
        *units,
        *find_unasked(reading),
        *find_target_flaws(reading, calls),
        *(find_unreached(reading) or find_entropy_alone(reading)),
        *_find_no_entropy(reading, replayed),
        *_find_no_future(reading, critics),
        *find_pushed(reading),
        *find_noise_flaws(reading, taken),
        *temperatures,
        *_find_step_flaws(rated),
    )
    answered = any(call.outputs.shape[1] == 1 for call in reading.calls) or bool(reading.unasked)
    climbed = any(call.climbed for call in reading.calls)
    looked = (
        *(OF_ROWS if replayed else ()),
        *((*OF_TARGETS, NO_FUTURE) if known else ()),
        *(OF_SOFT if any(each.soft is not None for each in replayed) else ()),
        *((UNREACHED_ACTOR, ENTROPY_ALONE, NO_NOISE, DROWNED, SAME_NOISE) if climbed else ()),
        *(OF_TEMPERATURES if told else ()),
        *((*OF_OBSERVATIONS, OWN_SCALES) if seen else ()),
        *((OTHER_ACTING,) if compared else ()),
        *((LATE_ACTING, OTHER_MEMORY, LOST_MEMORY) if seen else ()),
        *((MERGED_STATES,) if reading.tape.states is not None else ()),
        *((EMPTY_MEMORY,) if reading.memories else ()),
        *((UNASKED_CRITIC,) if answered else ()),
        *((FAST_RATE, DECAY, FRESH) if rated else ()),
        *((PUSHED_CRITIC,) if any(call.made is not None for call in reading.calls) else ()),
        *((ACROSS_ROWS, ACROSS_ACTIONS) if taken.discrete else ()),
        *(OF_ACTIONS if bounded else ()),
        *(OF_UNITS if squashed else ()),
    )
    return flaws, frozenset(looked)


def _list_own(reading: UpdateReading, head: str) -> list[HeadCall]:
    """The passes of a head with a loss of its own: not those in which an actor looks at it."""
    return [call for call in reading.of_head(head) if not is_looked_at(call)]


def _has_future(critic: RecoveredValues) -> bool:
    """Whether targets go on with a next value at all."""
    return critic.gamma is not None and abs(critic.gamma) > NO_DISCOUNT


def _find_no_future(reading: UpdateReading, critics: Sequence[RecoveredValues]) -> Iterator[RecoveredFlaw]:
    """Critics whose targets are the reward alone, in episodes that go on."""
    going_on = float(np.mean(~np.asarray(reading.tape.terminated, bool))) if reading.tape.rows else 0.0
    for each in () if any(map(_has_future, critics)) else critics:  # beside a critic, a model of rewards is meant so
        if each.gamma is not None and going_on > MOSTLY and each.targets is not None:
            count = int(np.isfinite(each.targets).sum())
            yield RecoveredFlaw(kind=NO_FUTURE, head=each.head, count=count, of=count)


def _find_no_entropy(reading: UpdateReading, replayed: Sequence[RecoveredValues]) -> Iterator[RecoveredFlaw]:
    """Critics whose targets hold no entropy term, beside an actor whose temperature learns and has weight."""
    plain = [each for each in replayed if each.kind == ACTION_CRITIC and each.soft is None and _has_future(each)]
    bonus = measure_bonus(reading) if plain else None
    for each in plain if bonus is not None else ():
        spread = 0.0 if each.targets is None else measure_spread(each.targets)
        if bonus is not None and bonus > SEEN * spread > 0.0:
            yield RecoveredFlaw(kind=NO_ENTROPY, head=each.head, count=1, of=1, number=bonus, other=spread)


def _find_step_flaws(traces: Sequence[LayerTrace]) -> Iterator[RecoveredFlaw]:
    """Layers that every step of an optimizer of the kind of Adam moves by about as much as their weights are large, or
    for the decay of their weights more than for the loss."""
    heads: dict[str, list[LayerTrace]] = {}
    for trace in traces:
        heads.setdefault(trace.head, []).append(trace)
    for head, several in heads.items():
        decays = np.array([each.decay for each in several])
        if np.mean(decays >= OUTWEIGHS) >= NEARLY_ALL:
            number = float(np.median(decays))
            yield RecoveredFlaw(kind=DECAY, head=head, count=len(several), of=len(several), number=number)
        if len(several) >= FEWEST_FRESH and all(each.fresh for each in several):
            yield RecoveredFlaw(kind=FRESH, head=head, count=len(several), of=len(several))
        trace = several[0]
        size = float(np.sqrt(np.mean(np.square(trace.weights, dtype=np.float64))))
        if trace.rate is not None and trace.rate >= max(FASTEST, MOSTLY * size):
            yield RecoveredFlaw(kind=FAST_RATE, head=trace.head, count=1, of=1, number=trace.rate, other=size)
