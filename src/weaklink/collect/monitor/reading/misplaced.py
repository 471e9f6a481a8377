"""What an on-policy update does with the rows that were collected for it: observations, actions and rows left out.

A loop that learns from what it has just collected learns from all of it, on the observation that each action was chosen
in, and gives each environment the action that was chosen for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import LEARNED_NEXT, LEFT_OUT, MISSING_CHOICES, ONE_ACTION, OTHER_ADVANTAGES
from weaklink.base.evidence.recovered import RecoveredFlaw, RecoveredPolicy
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall, Tape, UpdateReading
from weaklink.collect.monitor.policy_reading import read_weights
from weaklink.collect.monitor.reading.estimators import TapeSteps
from weaklink.collect.monitor.reading.rearranging import list_rearranged
from weaklink.collect.monitor.reading.tape_rows import TakenActions
from weaklink.collect.monitor.reading.unshuffled_weights import find_unshuffled
from weaklink.collect.monitor.reading.weights import EXACT, fit_weights

OF_PLACES = (LEARNED_NEXT, LEFT_OUT, ONE_ACTION)

FEWEST = 64
"""Rows that tell."""

FEWEST_TIMES, NEARLY_ALL = 32, 0.95
"""Steps of all members, and the share of them in which all are given one action."""

LEARNED, OFTEN = 0.5, 4.0
"""The share of the rollout below which a part of it is left out, and how often the other rows come back meanwhile: of
draws from the whole, all but one in fifty would have come by then."""

UNRELATED = 0.9
"""The correlation with the advantages of their own rows below which weights may be made of those of other rows."""

FEWEST_LAST = 3
"""Last observations, of episodes and of the rollout, in which no action is chosen and that must be learned from."""


CHANCE = 1e-9
"""The probability below which no choices of all environments are alike by chance in every step."""


def find_misplaced(
    reading: UpdateReading, taken: TakenActions, policies: Sequence[RecoveredPolicy], steps: TapeSteps | None
) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
    """The flaws of rows and actions of an on-policy update, and the kinds of which one would have shown.

    Args:
        reading: of the update.
        taken: the actions of the tape.
        policies: that were read.
        steps: of the rollout, with the targets of its critic, where they are known.
    """
    heads = [each.head for each in policies] or [call.head for call in reading.calls if call.after][:1]
    found = [
        *(flaw for head in heads[:1] for flaw in _find_next(reading, head)),
        *(flaw for head in heads[:1] for flaw in _find_left_out(reading, head)),
        *(_find_one_action(reading.tape, taken) if heads else ()),
        *(flaw for each in policies for flaw in _find_missing(reading, each.head, taken)),
        *(flaw for each in policies[:1] if steps is not None for flaw in _find_mixed(reading, each, steps)),
        *(flaw for each in policies[:1] if (flaw := find_unshuffled(reading, each)) is not None),
    ]
    looked = (OF_PLACES if heads else ()) + ((MISSING_CHOICES,) if policies and reading.tape.choices else ())
    return tuple(found), frozenset(looked)


def _find_next(reading: UpdateReading, head: str) -> Iterator[RecoveredFlaw]:
    """Inputs that are what followed the actions: the newest steps in their order, or the last ones of episodes."""
    calls = reading.of_head(head)
    rows = sum(len(call.rows) for call in calls)
    after = sum(len(call.rows) for call in calls if call.after)
    if rows >= FEWEST and after >= NEARLY_ALL * rows:
        yield RecoveredFlaw(kind=LEARNED_NEXT, head=head, count=after, of=rows)
        return
    last = _count_last(reading.tape, calls)
    lost = sum(int(_find_asked_of(call).sum()) for call in calls)
    if lost >= FEWEST_LAST and last >= NEARLY_ALL * lost:
        yield RecoveredFlaw(kind=LEARNED_NEXT, head=head, count=last, of=rows)


def _count_last(tape: Tape, calls: tuple[HeadCall, ...]) -> int:
    """How many inputs without a row are observations with which episodes or the rollout end: no action is chosen there,
    or none yet."""
    ended = np.asarray((tape.terminated | tape.truncated | _mark_newest(tape)) & tape.known, bool)
    width = tape.observations.shape[1]
    count = 0
    for call in calls:
        if call.inputs.shape[1] == width:
            last, chosen = (
                set(map(bytes, np.ascontiguousarray(each.astype(call.inputs.dtype))))
                for each in (tape.next_observations[ended], tape.observations)
            )
            names = last - chosen
            count += sum(bytes(each) in names for each in np.ascontiguousarray(call.inputs[_find_asked_of(call)]))
    return count


def _mark_newest(tape: Tape) -> Array:
    """(rows,) the last step of every member."""
    return np.arange(tape.rows) >= tape.rows - tape.members


def _find_asked_of(call: HeadCall) -> Array:
    """The rows of a pass that are not on the tape and of which the loss asks something."""
    return np.asarray((call.rows == UNMATCHED) & np.any(call.gradients != 0.0, axis=1))


def _find_left_out(reading: UpdateReading, head: str) -> Iterator[RecoveredFlaw]:
    """Rows that were collected with those that come back again and again, and that are never learned from.

    Inputs whose rows are not known may be any of them: observations that come twice are found nowhere.
    """
    given = np.concatenate([call.rows for call in reading.of_head(head)])
    rows = given[given != UNMATCHED]
    if len(rows) < max(FEWEST, NEARLY_ALL * len(given)) or len({call.stamp for call in reading.of_head(head)}) > 1:
        return
    learned = np.unique(rows)
    collected = reading.tape.rows - int(learned[0])
    if len(learned) < LEARNED * collected and len(rows) >= OFTEN * len(learned):
        count = collected - len(learned)
        yield RecoveredFlaw(
            kind=LEFT_OUT, head=head, count=count, of=collected, number=float(len(learned)),
            other=len(rows) / len(learned),
        )  # fmt: skip


def _find_one_action(tape: Tape, taken: TakenActions) -> Iterator[RecoveredFlaw]:
    """Actions that are one and the same in all environments, although these are in different states; choices only where
    as many draws of them are never alike by chance."""
    if tape.members < 2:
        return
    shape = (tape.times, tape.members, -1)
    actions, seen = (each[: tape.times * tape.members].reshape(shape) for each in (taken.table, tape.observations))
    same = np.all(actions == actions[:, :1], axis=(1, 2))
    apart = np.any(seen != seen[:, :1], axis=(1, 2))
    shares = np.unique(actions[:, 0], axis=0, return_counts=True)[1] / tape.times
    alike = float(np.sum(shares**tape.members)) ** int(apart.sum())
    many = apart.sum() >= FEWEST_TIMES and len(shares) > FEWEST_TIMES // 2
    if (alike < CHANCE if taken.discrete else many) and same[apart].mean() >= NEARLY_ALL:
        count = int((same & apart).sum())
        yield RecoveredFlaw(
            kind=ONE_ACTION, head=tape.environment, count=count, of=int(apart.sum()), number=tape.members
        )


def _find_mixed(reading: UpdateReading, policy: RecoveredPolicy, steps: TapeSteps) -> Iterator[RecoveredFlaw]:
    """Weights that are the advantages of other rows exactly, and not those of their own."""
    if policy.correlation is None or abs(policy.correlation) > UNRELATED:
        return
    seen = read_weights(reading, policy.head)
    if seen is None or len(seen.rows) < FEWEST:
        return
    for _, advantages in list_rearranged(steps.targets - steps.values, steps.ended):
        fit = fit_weights(seen, steps.spread(advantages, reading.tape.rows))
        if fit is not None and fit.correlation > EXACT:
            count = len(np.unique(seen.rows))
            yield RecoveredFlaw(kind=OTHER_ADVANTAGES, head=policy.head, count=count, of=count)
            return


def _find_missing(reading: UpdateReading, head: str, taken: TakenActions) -> Iterator[RecoveredFlaw]:
    """A policy with fewer outputs than there are actions."""
    choices, width = reading.tape.choices, reading.of_head(head)[0].outputs.shape[1]
    rows = sum(len(call.rows) for call in reading.of_head(head))
    if taken.discrete and taken.table.shape[1] == 1 and 1 < width < choices and int(taken.table.max()) < width:
        yield RecoveredFlaw(kind=MISSING_CHOICES, head=head, count=rows, of=rows, number=width, other=choices)
