"""The critic alone: the policy stands still, and the critic learns the returns of one rollout and nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from weaklink.base.errors import UsageError
from weaklink.base.evidence.critic import (
    CriticFit,
    PlayedRollout,
    make_known_target,
    measure_linear_fit,
    measure_lookup_fit,
)
from weaklink.base.evidence.rollout import CriticCopyFit
from weaklink.base.evidence.series import Array

ROWS = 4096
ENOUGH = 0.5
"""A critic that explains this much of one fixed rollout can fit."""

MARGIN = 0.25
"""By how much something simpler must explain more before the critic is to blame."""

LEARNS = 0.8
"""A critic that is able learns this much of a line through its own observations."""

FEWEST_ROWS = 64
LOWEST_TOLD = -9.99
MISSING_VALUE = (
    "The agent that train returns has no `value(observation)`: without it nothing is known of its critic. Give it one."
)
MISSING_MODULE = (
    "The agent has no `critic`: give it the torch module that maps a batch of observations to values, so that a copy "
    "of it can be trained alone."
)


def judge_fit(fit: CriticFit) -> tuple[bool | None, str]:
    """Whether the critic cannot fit, None where nothing tells; and why, in one sentence."""
    after, reachable = fit.after, fit.reachable
    told = f"On one fixed rollout of {fit.rows:,} rows"
    if after is None:
        return _judge_untrained(fit, told)
    before = "" if fit.before is None else f" ({format_share(fit.before)} before)"
    share = f"{format_share(after)} of the returns"
    grew = f"{told} the critic alone comes to explain {share} in {fit.updates} updates{before}"
    if after >= ENOUGH:
        return False, f"{grew}: it can fit them."
    if reachable is not None and reachable >= after + MARGIN:
        return True, f"{grew}, although {name_best(fit)} explains {format_share(reachable)}: it cannot fit them."
    beside = "" if reachable is None else f", and nothing else more than {format_share(reachable)}"
    taught = max(fit.taught, default=None)
    if taught is None:
        return None, f"{grew}{beside}: whether anything could tell the returns from what is seen is not known."
    learns = f"Of a line through its own observations it learns {format_share(taught)}"
    if taught >= LEARNS:
        return False, f"{grew}{beside}. {learns}: it is able, and the returns can hardly be told from what is seen."
    return True, f"{grew}{beside}. {learns}: it cannot fit even that."


def format_share(value: float) -> str:
    """A share of the variance in percent, bounded below: a critic can be arbitrarily wrong."""
    return f"{value:.0%}" if value >= LOWEST_TOLD else f"under {LOWEST_TOLD:.0%}"


def _judge_untrained(fit: CriticFit, told: str) -> tuple[bool | None, str]:
    if fit.before is None:
        return None, f"{told} nothing could be asked of the critic. {fit.missing}"
    beside = "" if fit.reachable is None else f"; {name_best(fit)} explains {fit.reachable:.0%}"
    return (
        None,
        f"{told} the critic as it is explains {max(fit.before, -9.99):.0%} of the returns{beside}. {fit.missing}",
    )


def name_best(fit: CriticFit) -> str:
    """What explains most beside the critic."""
    by = {"a fresh network of the same shape": max(fit.fresh, default=None), "a line": fit.linear, "a table": fit.table}
    known = {name: explained for name, explained in by.items() if explained is not None}
    return max(known, key=lambda name: known[name]) if known else "nothing"


def explain_fit(fit: CriticFit, cannot: bool | None) -> str:
    """What follows from it."""
    if cannot is None:
        return "Nothing follows for the critic. Look at what it sees, and at the reward: noise, a hidden state."
    if not cannot and (fit.after or 0.0) < ENOUGH:
        return (
            "The critic is not broken: what it sees does not tell the returns. Early in training that is usual, for a "
            "policy near random earns by luck. Later look at the observation and at the noise of the reward."
        )
    if not cannot:
        return (
            "Network, input and loss can do it, so the critic is not broken: in training its targets or the policy "
            "move faster than it follows. Look at the learning rate, at the targets and at the size of the rewards."
        )
    if max(fit.fresh, default=0.0) >= ENOUGH:
        return (
            "A fresh network of the same shape can, so the training spoilt this one: look for updates that were too "
            "large, saturated units or weights that are not finite."
        )
    return (
        "No network of this shape can, so the break is in how it is made: shapes in the loss, a detach, an input that "
        "is constant or not scaled."
    )


def fit_model_critic(
    model: object, *, rows: int = ROWS, seconds: float = 5.0, seed: int = 0, trained: int = 0
) -> CriticFit:
    """Fits a copy of the critic of a Stable-Baselines3 model.

    Raises:
        UsageError: it is none.
    """
    if not hasattr(model, "get_env"):
        raise UsageError(
            "The critic is fitted of a Stable-Baselines3 model, or of an agent that train() returns; make_model makes "
            f"{type(model).__name__}."
        )
    began = time.monotonic()
    adapter = import_module("weaklink.adapters.sb3.fixed_rollout")
    rollout: PlayedRollout = adapter.played(model, rows, seed=seed)

    def attempt(chosen: object, returns: Array, **how: object) -> CriticCopyFit | None:
        found: CriticCopyFit | None = adapter.fitted(model, rollout, chosen, returns, seconds=seconds, seed=seed, **how)
        return found

    return _put_together(rollout, attempt, None, trained, began)


def fit_agent_critic(
    agent: object,
    make_env: Callable[[], Any],
    *,
    rows: int = ROWS,
    seconds: float = 5.0,
    seed: int = 0,
    trained: int = 0,
) -> CriticFit:
    """The same for an agent of `train(make_env, steps, seed)`, as far as it shows its critic.

    Raises:
        UsageError: it shows neither values nor actions.
    """
    began = time.monotonic()
    if not hasattr(agent, "act") and not hasattr(agent, "sample"):
        raise UsageError("train must return an agent with act(observation), or sample(observation), to be played.")
    rollout = _play_steps(agent, make_env(), rows, seed)
    value, module = getattr(agent, "value", None), getattr(agent, "critic", None)
    if value is None and module is None:
        raise UsageError(MISSING_VALUE)
    if module is None or not hasattr(module, "parameters"):
        return _put_together(rollout, None, value, trained, began)
    fit = import_module("weaklink.adapters.torch.fit").fit_critic

    def attempt(chosen: object, returns: Array, **how: object) -> CriticCopyFit | None:
        seen = rollout.flat(rollout.observations)[chosen]
        found: CriticCopyFit | None = fit(module, module, seen, returns, seconds, seed=seed, **how)
        return found

    return _put_together(rollout, attempt, value, trained, began)


Attempt = Callable[..., CriticCopyFit | None]


def _put_together(rollout: PlayedRollout, attempt: Attempt | None, value: Any, trained: int, began: float) -> CriticFit:
    rows, returns, remark = rollout.returns()
    if len(rows) < FEWEST_ROWS:
        raise UsageError(f"Only {len(rows)} rows have a return that is known: take more of them (--rows).")
    columns = rollout.columns[rows]
    own, course = _try_fit(attempt, rows, returns)
    _, fresh = _try_fit(attempt, rows, returns, fresh=True)
    target = make_known_target(columns, returns) if course and max(course) < ENOUGH else None
    _, taught = _try_fit(attempt, rows, target)
    notes = [remark] if remark else []
    if returns.std() <= 1e-8:
        notes.append("The returns do not differ: there is nothing to explain.")
    before = None if own is None else 1.0 - own.before
    if own is None and value is not None and returns.std() > 1e-8:
        before = _measure_explained(rollout, rows, returns, value)
    return CriticFit(
        before=before,
        own=course,
        fresh=fresh,
        linear=measure_linear_fit(columns, returns),
        table=measure_lookup_fit(columns, returns),
        taught=taught,
        rows=len(rows) if own is None else own.rows,
        updates=0 if own is None else own.updates,
        episodes=int(rollout.ends.sum()),
        mean=float(returns.mean()),
        spread=float(returns.std()),
        gamma=rollout.gamma,
        trained=trained,
        seconds=time.monotonic() - began,
        missing=MISSING_MODULE if attempt is None else "",
        notes=tuple(notes),
    )


def _try_fit(
    attempt: Attempt | None, rows: object, target: Array | None, *, fresh: bool = False
) -> tuple[CriticCopyFit | None, tuple[float, ...]]:
    """A fit, and what was explained after every few updates; nothing where it cannot be tried."""
    if attempt is None or target is None:
        return None, ()
    course: list[float] = []
    found = attempt(rows, target, fresh=fresh, course=course)
    return found, tuple(1.0 - left for left in course)


def _measure_explained(rollout: PlayedRollout, rows: Any, returns: Array, value: Callable[[Any], Any]) -> float:
    seen = rollout.flat(rollout.observations)
    some = rows[np.unique(np.linspace(0, len(rows) - 1, 512).astype(np.int64))]
    answers = np.array([float(np.asarray(value(seen[row])).reshape(-1)[0]) for row in some])
    goal = returns[np.searchsorted(rows, some)]
    return float(1.0 - np.var(goal - answers) / np.var(goal))


def _play_steps(agent: Any, environment: Any, steps: int, seed: int) -> PlayedRollout:
    """Steps of one Gymnasium environment under an agent, sampling where it can."""
    act = getattr(agent, "sample", None) or agent.act
    forget = getattr(agent, "reset", None)
    seen, actions, rewards, ends, cuts = [], [], [], [], []
    now, _ = environment.reset(seed=seed)
    for _ in range(steps):
        taken = act(now)
        seen.append(np.array(now, dtype=np.float64))
        now, paid, terminated, truncated, _ = environment.step(taken)
        actions.append(np.asarray(taken))
        rewards.append(float(paid))
        ends.append(bool(terminated or truncated))
        cuts.append(bool(truncated and not terminated))
        if ends[-1]:
            now, _ = environment.reset()
            if forget is not None:
                forget()
    return PlayedRollout(
        observations=np.stack(seen)[:, None],
        actions=np.stack(actions)[:, None],
        rewards=np.array(rewards)[:, None],
        ends=np.array(ends)[:, None],
        cuts=np.array(cuts)[:, None],
        gamma=float(getattr(agent, "gamma", 0.99)),
    )
