"""From an update that was read to what its losses asked for, and to the parts of a rollout that rules judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.flaw_kinds import (
    CHANGED_LEARNING,
    CUT_COLUMN,
    LEARNED_NEXT,
    NEVER_COLLECTED,
    OWN_SCALES,
    REWARD_AFTER,
    REWARD_BEFORE,
    SATURATED_INPUTS,
    UPDATE_TOO_FAR,
)
from weaklink.base.evidence.recovered import (
    LIMIT,
    NOTHING,
    STATE_VALUES,
    RecoveredClimb,
    RecoveredFlaw,
    RecoveredUpdate,
)
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, Tape, UpdateReading
from weaklink.collect.monitor.reading.acting import count_exact, count_noise, read_choices
from weaklink.collect.monitor.reading.climbing import CriticClimb, find_climb
from weaklink.collect.monitor.reading.collecting import COLLECTING_FLAWS, find_collecting_flaws
from weaklink.collect.monitor.reading.critics import recover_critic
from weaklink.collect.monitor.reading.flaws import find_flaws
from weaklink.collect.monitor.reading.fresh_rows import count_stale
from weaklink.collect.monitor.reading.given_observations import OF_OBSERVATIONS
from weaklink.collect.monitor.reading.gradients import find_unlimited, read_gradients
from weaklink.collect.monitor.reading.masked_choices import find_mask_flaws
from weaklink.collect.monitor.reading.masked_next import complete_answers
from weaklink.collect.monitor.reading.misplaced import find_misplaced
from weaklink.collect.monitor.reading.moved_policies import find_far
from weaklink.collect.monitor.reading.observed_time import end_at_seen_limits
from weaklink.collect.monitor.reading.policy_losses import recover_policies
from weaklink.collect.monitor.reading.side_by_side import join_heads
from weaklink.collect.monitor.reading.soft_choices import recover_soft_choices
from weaklink.collect.monitor.reading.tape_rows import drop_masked, find_past_ends, read_actions
from weaklink.collect.monitor.reading.target_networks import find_shared
from weaklink.collect.monitor.reading.through_target import take_targets_out
from weaklink.collect.monitor.reading.token_losses import find_token_flaws
from weaklink.collect.monitor.reading.values import ValueRecovery
from weaklink.collect.monitor.reading.weighed_returns import recover_weighed

SETTINGS = (
    "gamma", "gae_lambda", "clip_range", "entropy_coefficient", "value_coefficient", "epochs", "batch_size",
)  # fmt: skip

OTHER_STEPS = (REWARD_BEFORE, REWARD_AFTER)


@dataclass(frozen=True, slots=True, eq=False)
class UpdateRecovery:
    """What was worked out, of which reading, and of the critics what rules judge."""

    update: RecoveredUpdate
    critics: tuple[ValueRecovery, ...]
    reading: UpdateReading


def recover_update(reading: UpdateReading, config: Mapping[str, Any]) -> UpdateRecovery:
    """Works out what every loss of an update asked for.

    Args:
        reading: of the update.
        config: the hyper-parameters as the trainer was given them, as far as they are known.
    """
    if not reading.tape.rows:
        return _recover_alone(reading)
    found = _recover_update(reading, config)
    ended = end_at_seen_limits(reading.tape) if _stops_at_limits(found.update) else None
    return found if ended is None else _recover_update(replace(reading, tape=ended), config)


def _recover_alone(reading: UpdateReading) -> UpdateRecovery:
    """What losses ask for of which no row is on a tape."""
    flaws, looked = find_token_flaws(reading)
    gradients = read_gradients(reading.head_steps, reading.calls)
    update = RecoveredUpdate(flaws=flaws, looked=looked, gradients=gradients, number=reading.update)
    return UpdateRecovery(update, (), reading)


def _stops_at_limits(update: RecoveredUpdate) -> bool:
    """Whether targets go on with nothing at time limits."""
    ends = (end for values in update.values for end in values.ends)
    return any((end.place, end.goes_on_with) == (LIMIT, NOTHING) for end in ends)


def _recover_update(whole: UpdateReading, config: Mapping[str, Any]) -> UpdateRecovery:
    configured = _read_settings(config)
    settings = {**whole.settings, **configured}
    taken = read_actions(whole.tape)
    reading, through = take_targets_out(complete_answers(join_heads(drop_masked(whole), taken)))
    climbs: list[RecoveredClimb] = []
    critics: list[ValueRecovery] = []
    waiting: list[list[HeadCall]] = []
    clear, actors = _find_clear_climb(reading), _list_actors(reading)
    for head in (each for each in reading.heads if each not in actors):
        calls, climbed = _split_calls(reading.tape, [call for call in reading.of_head(head) if len(call.rows)], clear)
        if climbed:
            climbs += _join_climbs(head, climbed)
        if not calls:
            continue
        critic = recover_critic(reading, calls, taken, settings)
        if critic is not None:
            critics.append(critic)
        else:
            waiting.append(calls)
    soft = [recover_soft_choices(reading, calls) for calls in waiting if taken.discrete]
    climbs += [climb for climb in soft if climb is not None]
    weighed, limited = recover_weighed(reading, [] if climbs else waiting, critics)
    critics += limited
    known = {each.values.head for each in limited}
    waiting = [calls for calls in waiting if calls[0].head not in known]
    sources = [*critics, weighed] if weighed is not None else critics
    flaws, looked = find_flaws(reading, taken, [each.values for each in critics])
    policies, reading = ([], reading) if climbs else recover_policies(reading, waiting, taken, sources)
    steps = next((each.steps for each in sources if each.steps is not None), None)
    misplaced, placed = find_misplaced(reading, taken, policies, steps)
    if any(policy.lag for policy in policies):  # then it is the observations that are those of another step
        critics = [replace(each, flaws=tuple(f for f in each.flaws if f.kind not in OTHER_STEPS)) for each in critics]
        misplaced = tuple(flaw for flaw in misplaced if flaw.kind != LEARNED_NEXT)
    if any(flaw.kind == LEARNED_NEXT for flaw in misplaced):  # then they were not changed, but are those of other steps
        flaws = tuple(flaw for flaw in flaws if flaw.kind != CHANGED_LEARNING)
    far, told = find_far(reading, policies, taken)
    on_policy = bool(policies) and any(each.values.kind == STATE_VALUES for each in critics)
    learned, stale = count_stale(reading, on_policy=on_policy)
    unlimited, clipped = find_unlimited(reading.limited)
    tokens, scored = find_token_flaws(whole)
    update = RecoveredUpdate(
        values=tuple(each.values for each in sources if each is not weighed or each.values.source),
        policies=tuple(policies),
        climbs=tuple(climbs),
        epochs=_count_epochs(reading) if any(each.steps is not None for each in critics) else None,
        minibatch=int(np.median([len(call.rows) for call in reading.calls])) if reading.calls else None,
        settings=settings,
        variables=frozenset(whole.settings) - frozenset(configured),
        resets=len(_find_learned_resets(reading)),
        possible_resets=int(np.count_nonzero(_find_resets(reading))),
        flaws=(
            *_list_collecting(reading, flaws),
            *through,
            *(each for one in critics for each in one.flaws),
            *flaws,
            *misplaced,
            *far,
            *unlimited,
            *tokens,
            *find_mask_flaws(reading, policies, taken),
            *find_shared(reading.shared, [each.values for each in critics]),
        ),
        looked=looked | placed | clipped | scored | set(COLLECTING_FLAWS) | ({UPDATE_TOO_FAR} if told else set()),
        gradients=read_gradients(whole.head_steps, whole.calls),
        unmoved=_list_unmoved(reading),
        learned=learned,
        stale=stale,
        past_end=_count_past_end(reading.tape),
        stepped=reading.tape.rows,
        number=reading.update,
        choices=read_choices(reading, taken, [each.values for each in critics]),
        exact=count_exact(reading, taken),
        noise=count_noise(reading, taken),
    )
    return UpdateRecovery(update, tuple(sources), whole)


def _list_collecting(reading: UpdateReading, flaws: Sequence[RecoveredFlaw]) -> Iterator[RecoveredFlaw]:
    """Flaws of what is collected; rows whose observations were ruined in another way only look cut off."""
    ruined = any(flaw.kind in (*OF_OBSERVATIONS, NEVER_COLLECTED, OWN_SCALES) for flaw in flaws)
    for flaw in find_collecting_flaws(reading):
        if not (ruined and flaw.kind in (SATURATED_INPUTS, CUT_COLUMN)):
            yield flaw


def _read_settings(config: Mapping[str, Any]) -> dict[str, float]:
    known = Config.of(dict(config))
    numbers = {name: known.number(name) for name in SETTINGS}
    return {name: number for name, number in numbers.items() if number is not None}


def _find_clear_climb(reading: UpdateReading) -> float | None:
    """The weight with which an actor climbs some critic; None where none does."""
    single = (call for call in reading.calls if _takes_actions(reading.tape, call))
    found = (find_climb(call.gradients * len(call.rows)) for call in single)
    return next((climb.weight for climb in found if climb is not None), None)


def _list_actors(reading: UpdateReading) -> frozenset[str]:
    """Heads that are moved in the steps in which a critic is climbed; their losses have no targets."""
    climbed = {call.head for call in reading.calls if call.climbed}
    steps = {call.step for call in reading.calls if call.climbed}
    return frozenset(call.head for call in reading.calls if call.step in steps and call.head not in climbed)


def _takes_actions(tape: Tape, call: HeadCall) -> bool:
    """Whether a pass may be that of a critic which is given an action, so that an actor can climb it.

    A Huber loss beyond its limit asks for one and the same number in all rows too, of a critic of observations.
    """
    return call.outputs.shape[1] == 1 and (call.climbed or call.inputs.shape[1] != tape.observations.shape[1])


def _split_calls(
    tape: Tape, calls: Sequence[HeadCall], clear: float | None
) -> tuple[list[HeadCall], list[CriticClimb]]:
    """The calls with a loss of their own, and how the others are climbed."""
    if clear is None:
        return list(calls), []
    own, climbed = [], []
    for call in calls:
        climb = find_climb(call.gradients * len(call.rows), clear) if _takes_actions(tape, call) else None
        if climb is None:
            own.append(call)
        else:
            climbed.append(climb)
    return own, climbed


def _join_climbs(head: str, climbed: Sequence[CriticClimb]) -> list[RecoveredClimb]:
    """How an actor's loss looks at a critic, over all minibatches in which it does."""
    asked = [each.weight for each in climbed if each.share > 0.0]
    share = float(np.mean([each.share for each in climbed]))
    return [RecoveredClimb(head=head, weight=float(np.mean(asked)), share=share)] if asked else []


def _find_resets(reading: UpdateReading) -> Array:
    """The steps of the tape that only reset a member: those right after an end; none where others claim to be too."""
    tape = reading.tape
    after = np.zeros(tape.rows, bool)
    after[tape.members :] = (tape.terminated | tape.truncated)[: -tape.members]
    known = not (tape.fillers[tape.members :] & ~after[tape.members :]).any()  # the first may follow an earlier end
    return np.asarray(tape.fillers & after & known)


def _find_learned_resets(reading: UpdateReading) -> Array:
    """The rows in which an environment was only reset and of which some loss asked something."""
    asked = [call.rows[np.any(call.gradients != 0.0, axis=1) & (call.rows >= 0)] for call in reading.calls]
    rows = np.unique(np.concatenate(asked)) if asked else np.zeros(0, np.int64)
    return np.asarray(rows[_find_resets(reading)[rows]])


def _count_past_end(tape: Tape) -> int:
    """Steps after an end, without a reset in between, that are ends again, as an environment gives them past its end.

    One that resets itself goes on with a step that is none, unless each of its episodes is a single step.
    """
    after = find_past_ends(tape) + tape.members
    return int(np.count_nonzero((tape.terminated | tape.truncated)[after]))


def _list_unmoved(reading: UpdateReading) -> tuple[str, ...]:
    """Heads without an optimizer that a loss asks something of, in the same rows as others, or where none is moved; and
    parameters without one.

    A target network is asked about other rows, those that follow. A network that is fixed on purpose is what another
    one is compared with: the loss asks the opposite of it. A gradient that reaches either of them does no harm.
    """
    found = [call.head for call in reading.unmoved if not reading.calls or _learns_beside(call, reading.calls)]
    return tuple(dict.fromkeys((*found, *(each.name for each in reading.parameters if each.idle))))


def _learns_beside(call: HeadCall, others: Sequence[HeadCall]) -> bool:
    """Whether another head learns from the very rows of a pass, and none from being compared with it."""
    if any(np.array_equal(call.gradients, -other.gradients) for other in others):
        return False
    return bool(np.all(call.rows >= 0)) and any(np.array_equal(call.rows, other.rows) for other in others)


def _count_epochs(reading: UpdateReading) -> float | None:
    """How often rows came back in the calls of the head that has most of them."""
    best = max(reading.heads, key=lambda head: sum(len(call.rows) for call in reading.of_head(head)), default=None)
    if best is None:
        return None
    rows = np.concatenate([call.rows for call in reading.of_head(best)])
    rows = rows[rows >= 0]
    return len(rows) / len(np.unique(rows)) if len(rows) else None
