from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.rollout import Array, Minibatch, Pairing, Rollout
from weaklink.base.proving import OneRung
from weaklink.judge.rules.data._pairs import FEWEST_ROWS, TOO_LARGE, read_grid
from weaklink.judge.rules.data._stored_observations import (
    judge_learned_resets,
    judge_next_observations,
    judge_observations,
    judge_resets,
    judge_silent_resets,
)
from weaklink.judge.rules.data._stored_rewards import judge_ends, judge_rewards
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule(
    "DAT201",
    link=Link.DATA,
    level=Level.ERROR,
    on=Rollout,
    needs=(("pairing", "minibatch", "recovered"),),
    leads_to=(
        "RET201", "RET202", "VAL202", "VAL301", "VAL302", "VAL304", "VAL305", "VAL306", "POL302", "EXP303", "EVA303",
        "REW301", "REW302", "REW303", "REW304",
    ),
    experiment=OneRung("shifted-pairing"),
)  # fmt: skip
def shifted_pairing(rollout: Rollout, *, share: float = 0.01) -> Answer:
    """Stored transitions mix up steps: observation, action, reward and end of a row do not belong together.

    ## What it sees
    Every result of `env.step` is copied and compared with the row that the trainer stored for that step. The
    observation must be what the previous step returned, the next observation what this step returned (at an episode end
    the final observation), the reward its reward, and a terminal flag must be stored. Where a row holds something
    else, the shift that reproduces it is named. Minibatches are compared with the rows that they were drawn from.

    ## Why it is bad
    The agent learns from transitions that never happened: an action, in the wrong state, with another step's reward.
    Tasks with a delayed reward still learn a little, which makes it look like a tuning problem.

    ## What to do
    1. Write observation, action, reward and done flag of a step in one place, with one index.
    2. Keep the observation that the action was chosen from until the step is stored: `observation = next_observation`
       comes last.
    3. Draw the indices of a minibatch once and use them for every column.

    ## How to prove it
    `weaklink probe TRAINER --only shifted-pairing` fails while rows are shifted; `vector-pairing` while environments
    are mixed up.

    ## When it is wrong
    Rewards that are scaled, clipped or normalised before they are stored keep their order and are not reported. A
    curiosity bonus added to the reward is reported as information, zero-mean noise as a warning.

    ## References
    keras-rl issue #51; SuperSuit issue #116; CleanRL issue #499; Stable-Baselines3 issue #105; Jones, Debugging
    reinforcement learning systems (2021).
    """
    found = [*_judge_pairing(rollout), *_judge_minibatch(rollout.minibatch, share)]
    learned = judge_learned_resets(rollout.recovered)
    if learned is not None:
        found.append(learned)
    if found:
        return tuple(found) if len(found) > 1 else found[0]
    resets = rollout.recovered is not None and rollout.recovered.possible_resets >= FEWEST_ROWS
    if rollout.minibatch is not None or resets or _is_comparable(rollout.pairing):
        return None
    return CannotTell(("pairing",), "there are too few steps, or nothing to compare the stored rows with")


def _judge_pairing(rollout: Rollout) -> Iterator[Finding]:
    pairing = rollout.pairing
    if pairing is None:
        return
    first = judge_observations(pairing)
    if first is not None:
        yield first
    yield from judge_next_observations(pairing)
    silent = judge_silent_resets(rollout) if pairing.given_observations is None else None
    for found in (judge_rewards(pairing), judge_resets(pairing), silent):
        if found is not None:
            yield found
    yield from judge_ends(rollout, pairing)


def _is_comparable(pairing: Pairing | None) -> bool:
    """Whether at least one column is known from both sides."""
    if pairing is None:
        return False
    pairs = (
        (pairing.observations, pairing.given_observations),
        (pairing.rewards, pairing.given_rewards),
        (pairing.stored_ended, pairing.given_terminated),
        (pairing.next_observations, pairing.observations),
    )
    return any(read_grid(one) is not None and read_grid(other) is not None for one, other in pairs)


def _judge_minibatch(batch: Minibatch | None, share: float) -> Iterator[Finding]:
    """Columns of a minibatch that are not those of its rows; a column may be scaled as a whole."""
    for name, (drawn, expected) in (batch.columns if batch is not None else {}).items():
        seen, wanted = (np.ravel(np.asarray(each, np.float64)) for each in (drawn, expected))
        if seen.size != wanted.size or not _is_usable(seen) or not _is_usable(wanted) or float(np.std(wanted)) == 0.0:
            continue
        off = _find_rows_off(seen, wanted)
        if off.mean() < share or not off.any():
            continue
        alike = float(np.corrcoef(seen, wanted)[0, 1]) if np.std(seen) > 0 else 0.0
        yield Finding(
            message=f"In a minibatch {off.mean():.0%} of the {name} do not belong to its rows (correlation "
            f"{alike:.2f}): the column was drawn with other indices.",
            confidence=HIGH,
            fix=("Draw the indices once and use them for every column.",),
            evidence=(Evidence(metric=f"{name} of other rows", value=float(off.mean()), limit=share),),
        )


def _find_rows_off(seen: Array, wanted: Array) -> Array:
    """The rows that hold another value than expected; none where one positive scale and offset explain them all."""
    slope, offset = np.polyfit(wanted, seen, 1)
    allowed = 1e-4 * (float(np.std(seen)) + 1e-12) + 1e-6 * float(np.abs(seen).max())  # rounding of 32-bit numbers
    scaled = slope > 0 and bool(np.all(np.abs(slope * wanted + offset - seen) <= 10 * allowed))
    return np.zeros(len(seen), bool) if scaled else np.abs(seen - wanted) > allowed


def _is_usable(column: Array) -> bool:
    return len(column) >= FEWEST_ROWS and bool(np.isfinite(column).all()) and float(np.abs(column).max()) < TOO_LARGE
