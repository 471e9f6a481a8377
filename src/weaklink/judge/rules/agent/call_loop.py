from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import COMPONENT, Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import FEWEST_ROWS, average_by_draw, mark_samples, select_complete
from weaklink.judge.rules._samples import LIKELY, MeanShift, SampleSplit, find_onset, select_settled, split
from weaklink.judge.rules._trajectories import mark_successes
from weaklink.judge.rules._within import measure_effect
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

LOOPS = "trajectories in a loop"
FEWEST_APART = 8
"""Trajectories in a loop, and as many without, whose success is compared."""

GREW = 0.3
"""The growth of the share of loops from which on they are what is learned."""

PAID, BONUS = 0.5, "component"
"""The correlation with the length of loops from which on a component of the reward pays for them."""

HALF = 0.5
"""Of the success of the others: what a loop leaves of it at most."""


@rule(
    "AGT306",
    link=Link.ACTION,
    level=Level.WARN,
    on=Samples,
    needs=("longest_loop", ("outcome", "reward")),
    leads_to=("AGT301", "AGT305", "AGT308", "LLM303", "LLM309"),
)
def call_loop(samples: Samples, *, least: float = 5.0, limit: float = 0.1) -> Answer:
    """The agent repeats the same call with the same arguments and the same result, and fails.

    ## What it sees
    In more than 0.1 of the last trajectories one call is made five times in a row or more with the same arguments and
    the same result, and such trajectories succeed at most half as often as the others. Half is not asked where their
    share grew by 0.3 or more during training and no outcome got better: it is enough that they succeed less often,
    beyond chance, or that success falls; where no outcome is known, that the reward does not rise, or that one of its
    components goes with the length of loops (correlation 0.5) while no other rises. Asking until the
    answer changes is no loop, and repeating a step that leads somewhere, as in a game, does not lower success. Where
    the agent acts by its messages alone, the same message with the same reply counts as a call; where no outcome is
    known, the reward says who succeeds.

    ## Why it is bad
    Nothing new is learned from the same answer. The trajectory runs into its limit, costs as much as all others
    together, and its many equal steps dominate the gradient.

    ## What to do
    1. Read three of them: what does the result say, and does the agent see it?
    2. Check that results reach the context, untruncated, and that an error is called an error.
    3. End a trajectory after the third equal call, or answer it with a hint; give a small penalty for equal calls.

    ## How to prove it
    Replay one such trajectory and change only the result of the repeated call: an agent that reads it must go on.

    ## When it is wrong
    Waiting for something that never came, where the wait was right.

    ## References
    Reinforcement Learning Training Debug Guide, on agents.
    """
    rows = mark_samples(select_complete(samples, "longest_loop"), LOOPS, lambda one: _mark_loops(one, least))
    late = average_by_draw(select_settled(rows, LOOPS), LOOPS) if LOOPS in rows else None
    if len(rows) < 2 * FEWEST_ROWS or late is None:
        return CannotTell(("steps",), f"fewer than {2 * FEWEST_ROWS} trajectories with results of their calls")
    if late.mean - LIKELY * late.error <= limit:
        return None
    parts = split(rows, LOOPS)
    shift = None if parts is None else parts.shift(LOOPS)
    if parts is not None and shift is not None and (bonus := _find_bonus(rows, parts, shift)):
        return _report_bonus(late.mean, bonus, find_onset(rows, LOOPS, shift), least, limit)
    apart = _compare_success(rows)
    if apart is None:
        return CannotTell(("gold or success or expected_state",), "too few outcomes with and without a loop to compare")
    looping, others = apart
    rose = shift is not None and shift.rose
    learned = rose and shift is not None and shift.change >= GREW and parts is not None and _is_loss(rows, parts)
    if looping > HALF * others and not learned:
        return None
    return Finding(
        message=f"{late.mean:.0%} of the trajectories are in a loop: they repeat the same call with the same result "
        f"{least:g} times or more (limit {limit:.0%}), and {looping:.0%} of them succeed ({others:.0%} of the others).",
        onset=find_onset(rows, LOOPS, shift) if shift is not None and rose else None,
        confidence=HIGH if late.mean > 2 * limit else MEDIUM,
        evidence=(Evidence(metric="longest_loop", value=late.mean, limit=limit),),
    )


def _mark_loops(samples: Samples, least: float) -> np.ndarray:
    length = samples["longest_loop"] if "longest_loop" in samples else np.full(len(samples), np.nan)
    return np.where(np.isfinite(length), length >= least, np.nan)


def _find_bonus(rows: Samples, parts: SampleSplit, shift: MeanShift) -> str:
    """The component of the reward that pays for loops, which became many, while no other rises; empty without one."""
    if rows.outcome is not None or not shift.rose or shift.change < GREW:
        return ""
    followed = {part: _follow_loops(rows, values) for part, values in rows.columns(COMPONENT) if np.nanstd(values) > 0}
    rest = [parts.shift(COMPONENT + part) for part, strength in followed.items() if abs(strength) < PAID]
    flat = bool(rest) and all(one is not None and one.z < LIKELY for one in rest)
    best = max(followed, key=lambda part: followed[part], default="")
    return best if flat and best and followed[best] >= PAID else ""


def _follow_loops(rows: Samples, values: Array) -> float:
    effect = measure_effect(mark_samples(rows, BONUS, lambda _: values), BONUS, rows["longest_loop"], None)
    return 0.0 if effect is None or effect.z < LIKELY else effect.strength


def _report_bonus(share: float, bonus: str, onset: float | None, least: float, limit: float) -> Finding:
    return Finding(
        message=f"{share:.0%} of the trajectories are in a loop: they repeat the same call with the same result "
        f"{least:g} times or more (limit {limit:.0%}), and {bonus} pays for that, while no other component of the "
        "reward rises.",
        onset=onset,
        confidence=HIGH,
        link=Link.REWARD,
        evidence=(Evidence(metric="longest_loop", value=share, limit=limit),),
    )


def _is_loss(rows: Samples, parts: SampleSplit) -> bool:
    """Whether more loops cannot be what was wanted: they do worse, or success falls; or the reward does not rise."""
    if rows.outcome is None:
        reward = parts.shift("reward")
        return reward is not None and reward.z < LIKELY
    effect = measure_effect(rows, rows.outcome, rows[LOOPS], None)
    worse = effect is not None and effect.z <= -LIKELY
    return parts.better is not True and (worse or parts.worst is not None)


def _compare_success(rows: Samples) -> tuple[float, float] | None:
    """The share of successes with a loop and without."""
    judged = rows.outcome or "reward"
    known = np.isfinite(rows[judged])
    right, loops = mark_successes(rows[judged])[known], rows[LOOPS][known] == 1.0
    if min(loops.sum(), (~loops).sum()) < FEWEST_APART:
        return None
    return float(right[loops].mean()), float(right[~loops].mean())
