from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._draws import find_steps, select_complete
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STEPS, FEWEST_ROWS = 3, 8
"""Steps on each side of a change, and rows of a step that say how large its rewards are."""

STEADY = 1.8
"""The factor by which the size of rewards may vary on each side: what a policy learns moves it step by step."""


@rule(
    "LLM331",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=("reward", ("step", "policy_version")),
    leads_to=("LLM302", "LLM306", "LLM311", "VAL304", "OPT301"),
)
def reward_rescaled(samples: Samples, *, factor: float = 6.0) -> Answer:
    """From one step on all rewards are many times as large, or as small, as before.

    ## What it sees
    The size of rewards (the 90 % quantile of their magnitude within a step, of those that are not 0) changes by a
    factor of 6 or more from one step to the next, and varies by less than a factor of 1.8 on each side of it.

    ## Why it is bad
    Another grader, another checkpoint of the reward model, or another unit has come in. A critic, a running normaliser
    and a KL coefficient that were tuned to the old scale are wrong at once, and the reward curve before and after shows
    two different things.

    ## What to do
    1. Compare what grades before and after that step: version, checkpoint, prompt of the judge, normalisation.
    2. Keep one grader for one training, or grade one fixed set of completions with both and rescale.
    3. Begin again from the checkpoint before the change.

    ## How to prove it
    Grade twenty completions from before the change with what grades now: their rewards must be what they were.

    ## When it is wrong
    A planned change of reward between two stages of training: judge the stages apart.

    ## References
    Gao et al., Scaling Laws for Reward Model Overoptimization, 2022 (rewards are known up to an affine map only).
    """
    rows = select_complete(samples, "reward")
    clock = find_steps(rows)
    sizes = None if clock is None else _measure_sizes(rows["reward"], clock)
    if sizes is None or len(sizes[0]) < 2 * FEWEST_STEPS:
        return CannotTell(("step", "reward"), f"fewer than {2 * FEWEST_STEPS} steps with {FEWEST_ROWS} rewards")
    steps, logs = sizes
    places = range(FEWEST_STEPS, len(logs) - FEWEST_STEPS + 1)
    jumps = [float(np.median(logs[place:]) - np.median(logs[:place])) for place in places]
    best = int(np.argmax(np.abs([logs[place] - logs[place - 1] for place in places])))
    place, jump = places[best], jumps[best]
    calm = max(np.ptp(logs[:place]), np.ptp(logs[place:])) <= np.log(STEADY)
    if abs(jump) < np.log(factor) or not calm:
        return None
    before, after = (float(np.exp(np.median(part))) for part in (logs[:place], logs[place:]))
    return Finding(
        message=f"From step {steps[place]:,.0f} on rewards have another scale: their size jumps from {before:.3g} to "
        f"{after:.3g} from one step to the next, and is steady before and after (limit: a factor of {factor:g}). The "
        "grader was changed.",
        onset=float(steps[place]),
        onset_within=float(steps[place] - steps[place - 1]),
        confidence=HIGH if abs(jump) > 2 * np.log(factor) else MEDIUM,
        evidence=(Evidence(metric="size of rewards", value=after, limit=before * factor, step=float(steps[place])),),
    )


def _measure_sizes(reward: Array, clock: Array) -> tuple[Array, Array] | None:
    """The steps with enough rewards that are not 0, and the logarithm of their size."""
    paid = (reward != 0.0) & np.isfinite(clock)
    if not paid.any():
        return None
    order = np.argsort(clock[paid], kind="stable")
    size, when = np.abs(reward[paid])[order], clock[paid][order]
    steps, first = np.unique(when, return_index=True)
    parts = np.split(size, first[1:])
    enough = [number for number, part in enumerate(parts) if len(part) >= FEWEST_ROWS]
    logs = np.log([np.quantile(parts[number], 0.9) for number in enough]) if enough else np.zeros(0)
    return steps[enough], logs
