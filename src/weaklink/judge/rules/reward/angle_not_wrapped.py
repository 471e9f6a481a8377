from __future__ import annotations

from itertools import permutations, product

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.observation._prediction import make_cost_features, subtract_fit
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS = 300
FEWEST_TURNS = 5  # times that the angle goes over the seam
SEAM = 0.8  # of a turn: a step of so much is one over the seam
USUAL = 0.3  # of a turn: no other step is as large
EXACT = 1e-4  # of the largest reward
FURTHER = 0.05  # of the steps, at which the other way round is the shorter one
TURNS = (2.0 * np.pi, 360.0)
MOST_NUMBERS = 24


@rule(
    "REW128",
    link=Link.REWARD,
    level=Level.WARN,
    on=Survey,
    needs=("held",),
    leads_to=("REW108", "TSK102", "TSK106"),
)
def angle_not_wrapped(survey: Survey) -> Answer:
    """The reward compares two angles without wrapping their difference.

    ## What it sees
    Two attributes of the environment: one is an angle that wraps around by 360 degrees, or two pi, the other is what
    it is compared with. The reward is exactly the size of their difference, or its square, times a number, but for what
    the action costs; in 5 % of the steps or more that difference is more than half a turn.

    ## Why it is bad
    At 179 degrees a course of -179 is two degrees away, and the reward says 358. The short way is punished, and the
    reward jumps where nothing happens.

    ## What to do
    1. Wrap the difference: `(error + pi) % (2 * pi) - pi`, or use `1 - cos(error)`.
    2. Do the same wherever else the difference is used, in the observation and in conditions.

    ## How to prove it
    Put the angle just before and just behind the seam: both must pay the same. Then run `weaklink preflight ENV` again.

    ## When it is wrong
    Something that must not be turned over the seam, such as a joint with a cable, and is held within it otherwise.

    ## References
    Practice; Zhou et al., On the Continuity of Rotation Representations in Neural Networks, 2019.
    """
    held = survey.held
    assert held is not None
    if len(held.rewards) < FEWEST_STEPS or not np.isfinite(held.rewards).all():
        return CannotTell(("held",), f"fewer than {FEWEST_STEPS} steps with finite rewards beside the attributes")
    numbers = np.flatnonzero(held.finite)[:MOST_NUMBERS].tolist()
    inside = np.ones(len(held.rewards), dtype=bool)
    inside[held.lasts[held.terminated]] = False
    costs = make_cost_features(survey.action, held.actions)[inside]
    for turn in TURNS:
        turning = [place for place in numbers if _goes_over_seam(held, place, turn)]
        for (here, there), aims in product(permutations(numbers, 2), (held.before, held.after)):
            if here not in turning:
                continue
            error = np.abs(held.after[:, here] - aims[:, there])
            far = float(np.mean(error > turn / 2))
            paid = held.rewards[inside]
            if far >= FURTHER and any(_is_paid(paid, error[inside] ** power, costs) for power in (1, 2)):
                return _describe(held, here, there, far)
    return None


def _goes_over_seam(held: HeldState, place: int, turn: float) -> bool:
    """Whether a number lies within one turn and now and then moves by nearly all of it, and else by little."""
    values = held.after[:, place]
    moves = np.abs(values - held.before[:, place])
    over = moves > SEAM * turn
    if float(np.ptp(values)) > (1.0 + 1e-6) * turn or int(over.sum()) < FEWEST_TURNS:
        return False
    return float(moves[~over].max(initial=0.0)) < USUAL * turn


def _is_paid(paid: Array, error: Array, costs: Array) -> bool:
    """Whether the reward is a number less a multiple of the error and a cost of the action, exactly, at all steps.

    One reward in all of them, or for each action, is a multiple of nothing.
    """
    exact = EXACT * float(np.abs(paid).max())
    rest, away = subtract_fit(costs, paid), subtract_fit(costs, error)
    if float(np.ptp(rest)) <= exact:
        return False
    slope = float(away @ rest) / max(float(away @ away), 1e-300)
    return slope < 0.0 and float(np.abs(rest - slope * away).max()) <= exact


def _describe(held: HeldState, here: int, there: int, far: float) -> Finding:
    return Finding(
        message=f"The reward charges the plain difference of `{held.labels[here]}` and `{held.labels[there]}`, but "
        f"`{held.labels[here]}` is an angle that wraps around: in {far:.0%} of {len(held.rewards):,} steps that "
        "difference is more than half a turn, so the short way round is punished.",
        confidence=HIGH,
        evidence=(Evidence(metric="steps more than half a turn apart", value=far, limit=FURTHER),),
    )
