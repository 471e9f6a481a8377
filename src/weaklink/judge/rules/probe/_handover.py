"""Whether the agent that was handed over is the one that was trained."""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean

from weaklink.base.evidence.outcome import WRONG, Outcome
from weaklink.judge.rules.probe._cause import BrokenRung, Cause, Hypothesis, explain, known, measured
from weaklink.judge.rules.writing import HIGH, MEDIUM, Link

CHOOSING = "two-actions"
"""The rung with two actions and no observation."""

SURELY, HARDLY = 0.85, 0.15
"""Shares of right actions of a policy that has decided for or against an action; 0.5 is undecided between two."""

CLEARLY = 0.4
"""A difference of shares, or of values that lie between -1 and 1, that a short training does not make by chance."""

NO_ACCIDENT = 6
"""As many answers that agree are no coincidence: six coins fall alike in one of 32 throws."""


def explain_returned_agent(broken: BrokenRung) -> Cause | None:
    """It acted right in training, but the agent that was handed over clearly does not."""
    return explain(broken, _RETURNED_AGENT)


def _find_late_share(broken: BrokenRung) -> float | None:
    """The share of right actions late in training, where the agent that was handed over clearly acts wrongly."""
    wrong = [1.0 - measure.measured for measure in broken.missed("action")]
    wrong += [measure.measured for measure in broken.missed("distance")]
    late = known(trial.behaviour.late for trial in broken.trials)
    if not wrong or max(wrong) < CLEARLY or not late or min(late) < SURELY:
        return None
    return min(late)


def _returns_other_actions(broken: BrokenRung) -> bool:
    """The agent is certain of wrong actions on every rung that fails, while the environment receives right ones."""
    if _find_late_share(broken) is None:
        return False
    drawn = [measure.measured for measure in broken.measured("drawn")]
    certain = bool(drawn) and max(drawn) <= HARDLY
    return certain and count_answers(broken.outcome, lambda share: share <= HARDLY) >= NO_ACCIDENT


def find_untrained_agent(outcome: Outcome) -> float | None:
    """The share of right actions late in training on two-actions, where the agent handed over draws as if untrained.

    Its values say the same: they stay where they began.
    """
    trials = [trial for rung in outcome.of(CHOOSING) for trial in rung.final if not trial.failure]
    late = known(trial.behaviour.late for trial in trials)
    shares = measured(trials, "drawn") or measured(trials, "action")
    if not late or not shares or min(late) < SURELY:
        return None
    return None if mean(measure.measured for measure in shares) > min(late) - CLEARLY / 2 else min(late)


def count_answers(outcome: Outcome, agrees: Callable[[float], bool]) -> int:
    """How many answers about actions the failed rungs give; 0 where one of them does not agree."""
    failed = [trial for rung in outcome.rungs if rung.verdict == WRONG for trial in rung.failed]
    shares = [measure.measured for measure in measured(failed, "action")]
    return len(shares) if all(map(agrees, shares)) else 0


OTHER_AGENT = (
    Link.EVALUATION,
    "{:.0%} of its actions in training were right, but the agent that was handed over acts differently",
    "what differs between training and evaluation: weights that were not copied, a normaliser without its "
    "statistics, another mode, a wrong deterministic branch",
    HIGH,
)
_RETURNED_AGENT: tuple[Hypothesis[BrokenRung], ...] = (
    Hypothesis(
        _returns_other_actions,
        Link.ACTION,
        "the environment receives the right actions, but the agent always returns a different one",
        "what happens to an action between the policy and `step`: an index off by one, a sign, a wrong lookup table",
        MEDIUM,
    ),
    Hypothesis(_find_late_share, *OTHER_AGENT),
)
