"""Heads of values of any kind: which reading of their loss fits, by what they put out and are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.flaw_kinds import ONE_DISCOUNT, REWARD_TOTAL
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.update import HeadCall, UpdateReading
from weaklink.collect.monitor.reading.action_values import find_moved
from weaklink.collect.monitor.reading.corrected_targets import recover_corrected
from weaklink.collect.monitor.reading.crossing_windows import find_crossing
from weaklink.collect.monitor.reading.distribution_heads import recover_all_alike, recover_distribution
from weaklink.collect.monitor.reading.joined import join_calls
from weaklink.collect.monitor.reading.other_rewards import add_up_rewards
from weaklink.collect.monitor.reading.policies import pull_logits
from weaklink.collect.monitor.reading.replayed import recover_replayed
from weaklink.collect.monitor.reading.several_steps import count_steps_ahead, fold_steps
from weaklink.collect.monitor.reading.taken_choices import read_log_probs, read_log_ratios
from weaklink.collect.monitor.reading.tape_rows import TakenActions
from weaklink.collect.monitor.reading.values import ValueRecovery, recover_state_values

EXACTLY = 1e-4
"""What targets of other rewards than those that were given may leave: with enough of them something always fits."""

FEWEST_CHOICES = 32
"""Rows that tell which entry belongs to which action."""

ONE_ENTRY = 0.95
"""The share of rows in which one entry alone is moved, from which on a head holds action values."""


def recover_critic(
    reading: UpdateReading, calls: list[HeadCall], taken: TakenActions, settings: Mapping[str, float]
) -> ValueRecovery | None:
    """Reads a head of values; None where it is none, or its loss is not known.

    Args:
        reading: of the update.
        calls: of one head.
        taken: the actions of the tape.
        settings: what the trainer was set to, as far as it is known.
    """
    critic = _recover_values(reading, calls, taken, settings)
    told = critic.is_told if critic is not None else not _judges_actions(reading, calls, taken)
    return critic if told else _recover_totals(reading, calls, taken, settings) or critic


def _recover_values(
    reading: UpdateReading, calls: list[HeadCall], taken: TakenActions, settings: Mapping[str, float]
) -> ValueRecovery | None:
    width, gamma = calls[0].outputs.shape[1], settings.get("gamma")
    if width == 1:
        of_actions = _judges_actions(reading, calls, taken)
        critic = _recover_replayed(reading, calls, taken, gamma) if of_actions else None
        if critic is None and not of_actions:
            critic = recover_corrected(reading, calls, read_log_ratios(reading, taken))
        critic = critic or recover_state_values(reading, calls, settings, read_log_probs(reading, taken))
        return critic if critic or of_actions else _recover_replayed(reading, calls, taken, gamma)
    taken = taken if taken.discrete else _name_choices(calls, taken)
    if not taken.discrete or taken.table.shape[1] != 1:
        return None
    joined = join_calls(calls)
    moved = np.count_nonzero(joined.asked, axis=1)
    if not moved.any():
        return None
    choices = int(taken.table.max()) + 1
    if reading.tape.choices and width % reading.tape.choices == 0:  # some of them may never have been taken
        choices = max(choices, reading.tape.choices)
    if width >= choices and np.mean(moved[moved > 0] == 1) >= ONE_ENTRY:
        return _recover_replayed(reading, calls, taken, gamma)
    if width == choices:
        return None if pull_logits(joined.outputs, joined.asked) else recover_all_alike(calls)
    return recover_distribution(reading, calls, taken, choices) if width % choices == 0 else None


def _name_choices(calls: Sequence[HeadCall], taken: TakenActions) -> TakenActions:
    """The actions as choices where each of a few, such as the torques of a list, has an entry of its own that is moved
    in its rows; as they are where that is not so."""
    joined = join_calls(calls)
    entries = find_moved(joined.asked)
    kept = (joined.rows >= 0) & (entries >= 0)
    values, numbers = np.unique(taken.table, axis=0, return_inverse=True)
    numbers = numbers.reshape(-1)
    if kept.sum() < FEWEST_CHOICES or not 2 <= len(values) <= joined.outputs.shape[1]:
        return taken
    counts = np.zeros((len(values), joined.outputs.shape[1]), np.int64)
    np.add.at(counts, (numbers[joined.rows[kept]], entries[kept]), 1)
    seen, best = np.asarray(counts.any(axis=1)), counts.argmax(axis=1)
    if len(set(best[seen])) < max(seen.sum(), 2) or counts.max(axis=1).sum() < ONE_ENTRY * counts.sum():
        return taken
    spare = iter(sorted(set(range(counts.shape[1])) - set(best[seen].tolist())))
    named = np.array([entry if there else next(spare) for entry, there in zip(best, seen, strict=True)])
    return TakenActions(named[numbers][:, None], True)


def _judges_actions(reading: UpdateReading, calls: list[HeadCall], taken: TakenActions) -> bool:
    """Whether a head gives one value for an observation and an action."""
    width = reading.tape.observations.shape[1] + taken.table.shape[1]
    return not taken.discrete and calls[0].outputs.shape[1] == 1 and calls[0].inputs.shape[1] == width


def _recover_totals(
    reading: UpdateReading, calls: list[HeadCall], taken: TakenActions, settings: Mapping[str, float]
) -> ValueRecovery | None:
    """A critic whose targets are made of returns so far in place of rewards; None where these explain nothing."""
    tape = add_up_rewards(reading.tape)
    critic = None if tape is None else _recover_values(replace(reading, tape=tape), calls, taken, settings)
    if critic is None or not critic.values.gamma or critic.flaws or (critic.values.unexplained or 0.0) > EXACTLY:
        return None
    count = sum(len(call.rows) for call in calls)
    flaw = RecoveredFlaw(kind=REWARD_TOTAL, head=critic.values.head, count=count, of=count)
    return ValueRecovery(critic.values, flaws=(flaw,))


def _recover_replayed(
    reading: UpdateReading, calls: list[HeadCall], taken: TakenActions, gamma: float | None
) -> ValueRecovery | None:
    """A critic whose rows are replayed, with targets of one step or of several."""
    steps = count_steps_ahead(reading, calls)
    crossing = find_crossing(reading, calls, steps)
    folded = fold_steps(reading, calls, taken, gamma, steps, through=crossing is not None)
    if folded is None:
        found = recover_replayed(reading, calls, taken, gamma)
        return found if found is None or crossing is None else replace(found, flaws=(*found.flaws, crossing))
    critic = recover_replayed(folded.reading, calls, taken, None, (folded.discount,))
    if critic is None:
        return None
    count, values = sum(len(call.rows) for call in calls), replace(critic.values, gamma=folded.gamma)
    flaw = RecoveredFlaw(
        kind=ONE_DISCOUNT, head=values.head, count=count, of=folded.steps, number=folded.gamma,
        other=folded.gamma**folded.steps,
    )  # fmt: skip
    flaws = (*critic.flaws, *((flaw,) if folded.once else ()), *(() if crossing is None else (crossing,)))
    return replace(critic, values=values, flaws=flaws)
