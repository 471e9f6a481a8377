from __future__ import annotations

import numpy as np

from weaklink.base.evidence.performance import measure_course
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import Flags, Samples
from weaklink.base.evidence.series import Series
from weaklink.base.stats import HeldStretch
from weaklink.judge.rules._course import FEWEST, find_still_below, is_language_run, measure_during
from weaklink.judge.rules._draws import FEWEST_ROWS, hash_draws, select_complete
from weaklink.judge.rules._samples import select_latest
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

TINY = 1e-300
"""Below every gradient norm other than exactly 0."""

_ADVANTAGE_FIX = (
    "Check one group by hand: reward minus the mean of the group must have the sign of the advantage.",
    "Check what rewards are grouped by, and that advantages are not overwritten, masked or clipped to 0.",
    "Check that the logged reward is the one that advantages are computed from.",
)
_FROZEN_FIX = (
    "Check that the trained parameters require gradients and are in the optimizer (adapters above all).",
    "Run one step without DeepSpeed or FSDP: some versions report, or cause, a norm of 0.",
    "Check that nothing detaches the loss: no_grad, inference mode, an empty loss mask.",
)


@rule(
    "LLM312",
    link=Link.OPTIMIZER,
    level=Level.WARN,
    on=Run,
    needs=("optimizer.gradient_norm",),
    samples=("advantage", "reward"),
    leads_to=("OPT302", "OPT303", "POL302", "REW301", "LLM310"),
)
def zero_gradient(run: Run | Samples, *, spread: float = 0.9, cut: float = 0.99) -> Answer:
    """The gradient is exactly zero, step after step.

    ## What it sees
    A gradient norm of exactly 0 until the end of the log, in the training of a language model. Where rewards differ
    within groups, something between loss and optimizer is broken: an error. Where they do not, there is nothing to
    learn from: a warning that blames the reward, or only information once the prompts are solved. Where all completions
    are truncated, masking them has emptied the loss.

    In samples it is an error where advantages are exactly 0 although the rewards of the group differ.

    ## Why it is bad
    Nothing is learned, at full cost. All three look alike in the log, and people have rewritten rewards for weeks when
    the optimizer was at fault, and the other way round.

    ## What to do
    1. Spread present: check that the trained parameters require gradients and are in the optimizer, and run a step
       without DeepSpeed or FSDP.
    2. Spread absent: see LLM308; all completions of a group get the same reward.
    3. All completions truncated: raise the length cap, see LLM309.

    ## How to prove it
    Replace the rewards of one batch by random numbers: if the gradient is still 0 the optimizer's side is broken, and
    if it is not, the rewards are.

    ## When it is wrong
    The loss itself may well read 0 in a healthy run; this rule looks at the gradient. Single steps of 0 come from
    single batches without spread and are ignored.

    ## References
    ms-swift issues #5890 and #4570, trl issues #3857 and #3452, autocontext issue #1067.
    """
    if isinstance(run, Samples):
        return _in_samples(run, cut)
    norms = run["optimizer.gradient_norm"]
    if not is_language_run(run):
        return None
    if len(norms) < FEWEST:
        return CannotTell((norms.name,), f"fewer than {FEWEST} points")
    held = find_still_below(abs(norms.values), TINY)
    if held is None:
        return None
    seen = _spread(run, norms, held.start, spread)
    if seen is None:
        return CannotTell(
            ("reward.zero_spread_fraction or reward.group_std",), "the gradient is 0, and nothing logged says why"
        )
    present, proof = seen
    truncated = measure_during(run, "task.truncated_fraction", norms, held.start)
    if truncated is not None and truncated >= cut:
        proof = Evidence(metric="task.truncated_fraction", value=truncated, limit=cut)
        said = f"{truncated:.0%} of the completions are truncated at the length cap"
        return _finding(norms, held, said, proof, Level.WARN, Link.TASK)
    if present:
        said = (
            f"rewards differ within groups ({proof.metric} {proof.value:.3g}): the loss does not reach the parameters"
        )
        return _finding(norms, held, said, proof, Level.ERROR, Link.OPTIMIZER)
    reward = run.get("reward.mean", "reward.episode_return")
    solved = reward is not None and (course := measure_course(reward)) is not None and course.improved
    said = f"no group has a spread of reward ({proof.metric} {proof.value:.3g})"
    return _finding(norms, held, said, proof, Level.INFO if solved else Level.WARN, Link.REWARD)


def _spread(run: Run, norms: Series, index: int, most: float) -> tuple[bool, Evidence] | None:
    """Whether rewards differ within groups while the gradient is zero, with the number that says so."""
    flat = measure_during(run, "reward.zero_spread_fraction", norms, index)
    if flat is not None:
        return flat < most, Evidence(metric="reward.zero_spread_fraction", value=flat, limit=most)
    for name in ("reward.group_std", "reward.std"):
        value = measure_during(run, name, norms, index)
        if value is not None:
            return value > 1e-8, Evidence(metric=name, value=value, limit=0.0)
    return None


def _finding(norms: Series, held: HeldStretch, said: str, proof: Evidence, grade: Level, link: Link) -> Finding:
    step = float(norms.steps[held.start])
    return Finding(
        message=f"The gradient norm is exactly 0 from step {step:,.0f} on, and {said}.",
        onset=step,
        onset_within=norms.interval,
        level=grade,
        link=link,
        fix=_FROZEN_FIX if grade is Level.ERROR else (),
        confidence=HIGH if proof.metric != "reward.std" else MEDIUM,
        evidence=(Evidence(metric=norms.name, value=0.0, limit=0.0, step=step), proof),
    )


def _in_samples(samples: Samples, cut: float) -> Answer:
    rows = select_complete(samples, "advantage", "reward")
    if len(rows) < FEWEST_ROWS:
        return CannotTell(("advantage",), f"fewer than {FEWEST_ROWS} rows with advantage and reward")
    for part in (rows, select_latest(rows, "advantage")):
        owed = _find_nonzero(part)
        flat = part["advantage"][owed] == 0.0
        if owed.sum() >= FEWEST_ROWS and flat.mean() >= cut:
            return Finding(
                message=f"Advantages are exactly 0 in {flat.mean():.0%} of {len(flat):,} rows whose reward differs "
                "from the mean of its group: they do not come from these rewards.",
                link=Link.RETURNS,
                level=Level.ERROR,
                fix=_ADVANTAGE_FIX,
                confidence=HIGH,
                evidence=(Evidence(metric="advantage", value=0.0, limit=0.0),),
            )
    return None


def _find_nonzero(samples: Samples) -> Flags:
    """The rows whose advantage must not be 0: their reward differs from the mean of their group."""
    reward = samples["reward"]
    owners = hash_draws(samples) if "group" in samples or "prompt" in samples else np.zeros(len(reward), np.uint64)
    _, group, sizes = np.unique(owners, return_inverse=True, return_counts=True)
    apart = np.abs(reward - (np.bincount(group, reward) / sizes)[group])
    owed: Flags = (sizes[group] > 1) & (apart > 1e-6 * np.abs(reward).max(initial=1e-300))
    return owed & (samples["truncated"] != 1.0) if "truncated" in samples else owed
