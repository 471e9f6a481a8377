"""`fit-critic`: can the critic alone learn the returns of one fixed rollout?"""

from __future__ import annotations

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.critic import CriticFit
from weaklink.verbs.confirm.critic import FEWEST_ROWS
from weaklink.verbs.confirm.job import CRITIC, ExperimentJob
from weaklink.verbs.confirm.plan import ExperimentContext, ExperimentPlan, ExperimentSubject, Report, check_plan

MOST_ROWS = 1_000_000

FITTING = 20.0
"""Seconds that are kept for the fits after the training."""


class FitCriticOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The `subject` has `make_model(env)`, or a `train` whose agent shows its critic.

    Of the plan count `steps` before the fit (0 for a policy that has learned nothing, -1 for as many as the target
    says), `first_seed` and the time. `rows` are those of the rollout.
    """

    subject: ExperimentSubject
    plan: ExperimentPlan = ExperimentPlan(steps=-1, seconds=120.0)
    rows: int = 4096


def fit_critic(options: FitCriticOptions, report: Report | None = None) -> CriticFit:
    """Trains a target, freezes its policy and fits its critic alone to one rollout.

    Args:
        options: what is trained and for how long.
        report: called with what is done.

    Raises:
        UsageError: the target has no critic that can be looked at.
    """
    rows = options.rows
    if rows and not FEWEST_ROWS <= rows <= MOST_ROWS:
        raise UsageError(f"--rows must be at least {FEWEST_ROWS} and at most {MOST_ROWS:,}, not {rows:,}.")
    asked = options.plan.steps
    plan = check_plan(msgspec.structs.replace(options.plan, steps=max(asked, 0)))
    with ExperimentContext.of(options.subject, plan, report) as given:
        job = ExperimentJob(
            kind=CRITIC,
            target=given.target,
            steps=given.steps if asked < 0 else asked,
            seed=plan.first_seed,
            rows=rows,
            seconds=max(plan.seconds - FITTING, FITTING),
        )
        replies = given.replies([job], "the critic alone")
    if given.stopped:
        raise KeyboardInterrupt
    reply = replies[0][1]
    if reply.critic is None:
        failed = reply.tried.failure if reply.tried is not None else "its time was up"
        raise UsageError(f"The training did not come to an end: {failed}.")
    return reply.critic
