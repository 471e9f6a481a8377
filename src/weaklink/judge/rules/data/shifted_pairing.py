from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.rollout import Array, Minibatch, Pairing, Rollout
from weaklink.base.finding import HIGH, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.proving import OneRung
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.data._pairs import TOO_LARGE, grid
from weaklink.judge.rules.data._stored_observations import (
    of_next_observations,
    of_observations,
    of_resets,
    of_silent_resets,
)
from weaklink.judge.rules.data._stored_rewards import of_ends, of_rewards

FEWEST_ROWS = 8


@rule(
    "DAT201",
    link=Link.DATA,
    level=Level.ERROR,
    on=Rollout,
    needs=(("pairing", "minibatch"),),
    leads_to=(
        "RET201", "RET202", "VAL202", "VAL301", "VAL302", "VAL304", "VAL305", "VAL306", "POL302", "EXP303", "EVA303",
        "REW301", "REW302", "REW303", "REW304",
    ),
    experiment=OneRung("shifted-pairing"),
)  # fmt: skip
def shifted_pairing(rollout: Rollout, *, share: float = 0.01) -> Answer:
    """What is stored together did not happen together.

    ## What it sees
    Every `env.step` is copied as it returns, and laid beside the rows that the trainer stored for the same steps. The
    observation of a row must be what the step before returned, the next observation what this step returned (at an end
    the last of the episode), the reward its reward, and a terminal flag must be there. Where a row holds something
    else, the shift that reproduces it is named. Minibatches are laid beside the rows that they were drawn from.

    ## Why it is bad
    The agent learns from sentences that nobody said: this action, in that state, for another step's reward. Tasks with
    a delayed reward still learn a little, which makes it look like a matter of tuning.

    ## What to do
    1. Write observation, action, reward and end of one step with one index, in one place.
    2. Keep the observation that the action was chosen from until the step is stored; `observation = next_observation`
       comes last.
    3. Draw the indices of a minibatch once and use them for every column.

    ## How to prove it
    `weaklink probe TRAINER --only shifted-pairing` fails while rows are shifted; `vector-pairing` while environments
    are mixed up.

    ## When it is wrong
    Rewards that are scaled, clipped or normalised between environment and store keep their order and are passed over.
    A bonus for curiosity that is added to the reward is told as worth knowing, and noise without a mean as a warning.

    ## References
    keras-rl issue #51; SuperSuit issue #116; CleanRL issue #499; Stable-Baselines3 issue #105; Jones, Debugging
    reinforcement learning systems (2021).
    """
    found = [*_of_pairing(rollout), *_of_minibatch(rollout.minibatch, share)]
    if found:
        return tuple(found) if len(found) > 1 else found[0]
    if rollout.minibatch is not None or _comparable(rollout.pairing):
        return None
    return CannotTell(("pairing",), "too few steps, or nothing to lay beside what was stored")


def _of_pairing(rollout: Rollout) -> Iterator[Finding]:
    pairing = rollout.pairing
    if pairing is None:
        return
    first = of_observations(pairing)
    if first is not None:
        yield first
    yield from of_next_observations(pairing)
    silent = of_silent_resets(rollout) if pairing.given_observations is None else None
    for found in (of_rewards(pairing), of_resets(pairing), silent):
        if found is not None:
            yield found
    yield from of_ends(rollout, pairing)


def _comparable(pairing: Pairing | None) -> bool:
    """Whether at least one column is there twice."""
    if pairing is None:
        return False
    pairs = (
        (pairing.observations, pairing.given_observations),
        (pairing.rewards, pairing.given_rewards),
        (pairing.stored_ended, pairing.given_terminated),
        (pairing.next_observations, pairing.observations),
    )
    return any(grid(one) is not None and grid(other) is not None for one, other in pairs)


def _of_minibatch(batch: Minibatch | None, share: float) -> Iterator[Finding]:
    """Columns of a minibatch that are not those of its rows; a column may be scaled as a whole."""
    for name, (drawn, expected) in (batch.columns if batch is not None else {}).items():
        seen, wanted = (np.ravel(np.asarray(each, np.float64)) for each in (drawn, expected))
        if seen.size != wanted.size or seen.size < FEWEST_ROWS or not _usable(seen) or not _usable(wanted):
            continue
        if float(np.std(wanted)) == 0.0:
            continue
        slope, offset = np.polyfit(wanted, seen, 1)
        allowed = 1e-4 * (float(np.std(seen)) + 1e-12) + 1e-6 * float(np.abs(seen).max())
        scaled = slope > 0 and bool(np.all(np.abs(slope * wanted + offset - seen) <= 10 * allowed))
        off = np.abs(seen - wanted) > allowed
        if scaled or off.mean() < share:
            continue
        alike = float(np.corrcoef(seen, wanted)[0, 1]) if np.std(seen) > 0 else 0.0
        yield Finding(
            message=f"In a minibatch {off.mean():.0%} of the {name} are not those of its rows (correlation "
            f"{alike:.2f}): the column is drawn with other indices.",
            confidence=HIGH,
            fix=("Draw the indices once and use them for every column.",),
            evidence=(Evidence(metric=f"{name} of other rows", value=float(off.mean()), limit=share),),
        )


def _usable(column: Array) -> bool:
    return bool(np.isfinite(column).all()) and float(np.abs(column).max()) < TOO_LARGE
