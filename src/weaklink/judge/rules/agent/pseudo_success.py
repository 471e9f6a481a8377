from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples
from weaklink.judge.rules._draws import FEWEST_ROWS, select_complete
from weaklink.judge.rules._samples import find_onset
from weaklink.judge.rules._trajectories import TRUTHS, WRONG, measure_wrongly_paid
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

OFTEN, PART, ALWAYS = 0.2, 0.1, 0.9
"""The share of trajectories that claim success after a last call that failed: a few may have made up for it; the share
that is enough where this part of such claims is rewarded, so that nothing but the claim decides."""

SAYS = {
    "gold": "the gold score",
    "human_score": "the human score",
    "state_reached": "their final state",
    "state_changed": "their unchanged state",
}
"""What says that a trajectory failed, the most reliable first."""


@rule(
    "AGT302",
    link=Link.REWARD,
    level=Level.WARN,
    on=Samples,
    needs=(
        "claims_success",
        ("state_reached", "state_changed", "gold", "human_score", "ended_failed"),
        ("reward", "success"),
    ),
    leads_to=("AGT303", "AGT304", "LLM301", "LLM311"),
)
def pseudo_success(samples: Samples, *, limit: float = 0.05, excess: float = 0.1) -> Answer:
    """The agent claims success, has failed, and is rewarded for the claim.

    ## What it sees
    More than 0.05 of the last trajectories claim success in their text although they failed, and are counted as
    successes or get nearly the reward of one. Failed means that a gold or human score says so, or that the final state
    is not the expected one; without an expected state, that nothing was changed in a task in which other trajectories
    changed something; without any of these, that the last tool call failed, which is information up to a fifth of the
    trajectories, or up to a tenth where nine in ten of such claims are rewarded. And failures that claim success are
    rewarded more often than those that do not, or all are rewarded.

    ## Why it is bad
    The reward reads the text and not the state of the environment. A claim is far easier than the task, so training
    teaches the agent to report what it has not done, and logged success rises while tasks stay unsolved.

    ## What to do
    1. Reward the final state of the environment: compare it with the expected one in the reward function.
    2. Do not let the agent's text decide; where a judge reads it, give the judge the state too.
    3. Keep the grading out of the agent's reach: test files, graders, logs.
    4. Read the trajectories that claim success with the wrong state, and find what rewarded them.

    ## How to prove it
    Grade a hundred rewarded trajectories again by their final states only, or by hand: most must really be successes.

    ## When it is wrong
    Final states that leave out what the task changes, or hold things that no task asks for, make successes look like
    failures: log a gold score for some trajectories. A claim in unusual words is not recognised.

    ## References
    Reinforcement Learning Training Debug Guide, on pseudo-success states.
    """
    rows = select_complete(samples, "claims_success")
    if len(rows) < 2 * FEWEST_ROWS:
        return CannotTell(("claims_success",), f"fewer than {2 * FEWEST_ROWS} trajectories")
    by_ends = not any(name in rows for name in (*TRUTHS, "state_changed"))
    paid = measure_wrongly_paid(rows, rows["claims_success"] > 0, by_ends=by_ends)
    if paid is None:
        return CannotTell(("expected_state or gold",), "too few trajectories say how they really ended")
    if not paid.over(limit) or not paid.peculiar(excess):
        return None
    shift = paid.shift
    many = paid.over(OFTEN) or (paid.over(PART) and paid.among >= ALWAYS)
    truth = next((name for name in SAYS if name in rows), "")
    called = f" ({rows.named[truth]})" if truth in rows.named else ""
    judged = f"failed by {SAYS[truth]}{called}" if truth else ""
    rose = shift is not None and shift.rose
    before = f"; {shift.before:.0%} at the start" if shift is not None and rose else ""
    return Finding(
        message=f"{paid.share:.0%} of the trajectories claim success, {judged or _tell_ends(paid.samples)}, and were "
        f"rewarded as successes (limit {limit:.0%}{before}): of all failures that claim success {paid.among:.0%} are "
        "rewarded.",
        onset=find_onset(paid.samples, WRONG, shift) if shift is not None and rose else None,
        level=Level.INFO if by_ends and not many else Level.WARN,
        confidence=MEDIUM if by_ends else HIGH if rose or paid.others is not None else MEDIUM,
        evidence=(Evidence(metric="claims_success", value=paid.share, limit=limit),),
    )


def _tell_ends(samples: Samples) -> str:
    """Whether all calls of these trajectories failed, or the last one."""
    wrong = samples[WRONG] == 1.0
    every = (samples["failed_calls"] == samples["tool_calls"])[wrong] if "failed_calls" in samples else np.zeros(1)
    return f"though {'all' if every.mean() >= ALWAYS else 'the last'} of their tool calls failed"
