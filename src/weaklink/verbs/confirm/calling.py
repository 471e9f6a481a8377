"""`weaklink.confirm` and `weaklink.fit_critic`: experiments from Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weaklink.base.evidence.critic import CriticFit
from weaklink.verbs.confirm import confirm as experiments
from weaklink.verbs.confirm.experiment import Answer
from weaklink.verbs.confirm.plan import ExperimentPlan, planned


def confirm(
    code: str,
    target: str = "",
    *,
    algorithm: str = "",
    environment: str = "",
    settings: Mapping[str, Any] | None = None,
    **plan: Any,
) -> Answer:
    """Carries out the experiment that proves a finding, or not: one variable changed, several seeds, a test.

    Args:
        code: of the finding, such as `POL303`, or its name.
        target: as for `debug`, or the folder of a case.
        algorithm: such as `sb3:PPO`, instead of what the target trains with.
        environment: a Gymnasium id, instead of the target's `make_env`.
        settings: hyper-parameters of the algorithm.
        plan: fields of `weaklink.verbs.confirm.plan.ExperimentPlan`: `seeds`, `steps`, `seconds`, `workers`, ...

    Returns:
        The answer: confirmed, refuted or undecided, why, what follows from it, and every number.
    """
    given = [f"{name}={value}" for name, value in (settings or {}).items()]
    subject, known = experiments.subject_of(target, algorithm=algorithm, environment=environment, settings=given)
    return experiments.confirm(code, subject, planned(plan), steps_known=known)


def fit_critic(
    target: str = "",
    *,
    algorithm: str = "",
    environment: str = "",
    settings: Mapping[str, Any] | None = None,
    rows: int = 4096,
    steps: int = -1,
    seed: int = 1,
    seconds: float = 120.0,
) -> CriticFit:
    """Freezes the policy of a target, takes one rollout and trains the critic alone on its returns.

    Args:
        target: as for `debug`, or the folder of a case.
        algorithm: such as `sb3:PPO`, instead of what the target trains with.
        environment: a Gymnasium id, instead of the target's `make_env`.
        settings: hyper-parameters of the algorithm.
        rows: of the rollout.
        steps: to train first; 0 for none, -1 for as many as the case or the target says.
        seed: of every random choice.
        seconds: how long the whole may take.

    Returns:
        How much of the returns the critic explains as it is and alone, beside a fresh network, a line and a table.
    """
    given = [f"{name}={value}" for name, value in (settings or {}).items()]
    subject, known = experiments.subject_of(target, algorithm=algorithm, environment=environment, settings=given)
    return experiments.fit_critic(
        subject, ExperimentPlan(steps=steps, first_seed=seed, seconds=seconds), rows=rows, steps_known=known
    )
