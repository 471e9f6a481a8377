"""Whether a run is far enough to be judged: an early run cannot be called flat."""

from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.patterns import compile_late
from weaklink.judge.rules._course import FEWEST

# where the budget is not known: most tasks with vector observations show some progress by then
ENV_STEPS = 150_000

# times as many steps from pixels: Atari agents play at random level for a million steps and more
ON_PIXELS = 10

# for logs that count updates
UPDATES = 200

# the last rollout may exceed the budget; a run far beyond it had a different budget
OVERSHOOT = 1.2

# of the budget: rows that were counted right end here, the last rollout included
MET = 0.9

_ATARI = compile_late(r"^ALE/|NoFrameskip|-ram-v|^(?:Pong|Breakout|Qbert|Seaquest|Enduro|SpaceInvaders|BeamRider)-v")


# of its largest value: a learning rate that fell so low was annealed to its end
ANNEALED = 0.02

# of the log: exploration that was annealed has been at its floor for so long, and started at twice that at least
AT_FLOOR, TWICE = 0.2, 2.0

# episodes: most tasks that are learned at all show some progress by then
EPISODES = 3_000


def is_atari(run: Run) -> bool:
    """Whether the task is an Atari game, whose usual wrappers clip rewards and stack frames."""
    return bool(_ATARI.search(str(run.config.values.get("environment", ""))))


def is_spent(run: Run) -> bool:
    """Whether the log itself shows that its budget was used: a schedule at its end, or thousands of episodes."""
    rate, epsilon, episodes = (
        run.get(name) for name in ("optimizer.learning_rate", "exploration.epsilon", "task.episodes")
    )
    if rate is not None and len(rate) >= FEWEST and 0 <= rate.values[-1] <= ANNEALED * rate.highs.max():
        return True
    if epsilon is not None and len(epsilon) >= FEWEST and _is_at_floor(epsilon):
        return True
    returns = run.get("reward.episode_return")
    played = max(
        0.0 if episodes is None else float(episodes.values.sum()) * episodes.count / max(len(episodes), 1),
        0.0 if returns is None or returns.provenance.axis != "episodes" else returns.last_step,
    )
    return played >= EPISODES


def count_episodes(run: Run) -> float:
    """About how many episodes were played: by the steps and the length of an episode; 0 where that is not known."""
    length = run.get("task.episode_length")
    if length is None or length.provenance.axis != "env_steps":
        return 0.0
    return length.last_step / max(float(length.values.mean()), 1.0)


def _is_at_floor(epsilon: Series) -> bool:
    """Whether the share of random actions fell and has been at its lowest for a good part of the log."""
    lowest = float(epsilon.lows.min())
    tail = epsilon.values[-max(round(AT_FLOOR * len(epsilon)), 3) :]
    return float(epsilon.highs.max()) >= TWICE * max(lowest, 1e-9) and bool((tail <= lowest + 1e-6).all())


def _measure_collected(run: Run, series: Series, total: float) -> float | None:
    """The share of the budget that was collected, where rows count updates and each has a rollout of known size.

    Of steps that nobody says what they count, only where they come out at the budget: no other count does by chance.
    """
    size = (run.config.number("rollout_steps") or 0.0) * (run.config.number("environments") or 1.0)
    axis = series.provenance.axis
    if total <= 0 or size <= 1 or axis not in ("updates", "step"):
        return None
    share = series.last_step * size / total
    if axis == "updates":
        return share if share <= OVERSHOOT else None  # beyond it, they are steps of the optimizer
    return share if MET <= share <= OVERSHOOT else None


def has_come_far_enough(
    run: Run, series: Series, budget: float, env_steps: float = ENV_STEPS, updates: float = UPDATES
) -> bool:
    """Whether a run has used this share of its budget or, where the budget is not known, enough steps."""
    if is_spent(run):
        return True
    total = run.config.number("total_steps")
    share = _measure_collected(run, series, total or 0.0)
    if share is not None:
        return share >= budget
    if total and series.last_step <= OVERSHOOT * total and series.provenance.axis != "updates":
        return series.last_step >= budget * total
    if series.provenance.axis != "env_steps":
        return series.last_step >= updates
    return series.last_step >= env_steps * (ON_PIXELS if is_atari(run) else 1)
