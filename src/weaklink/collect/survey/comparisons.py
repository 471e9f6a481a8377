"""The same seed and the same actions, twice: is what follows the same?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import make_flattener, sample_space, unflatten_rows
from weaklink.base.evidence.survey import TrajectoryComparison
from weaklink.collect.survey.contract import copy_values
from weaklink.collect.survey.sampler import pick_columns
from weaklink.collect.survey.session import OutOfMemory, SurveySession, SurveyStopped

SEEDS = (11, 12, 13)
LONGEST = 1000
FEWEST_TIMED = 16
"""Steps of which the usual one is known."""

IN_TURN = 200
"""Steps of an instance beside another one: what they share shows within a few."""

TOLERANCE = 1e-6
"""Relative to the size of a column: accelerated physics differ in their last digits."""


class Trajectory(msgspec.Struct, frozen=True):
    """One episode: observations (a row more than there are steps), rewards and both flags; and the processor time that
    the usual step takes, whatever else the machine does."""

    rows: Array
    rewards: Array
    terminated: Array
    truncated: Array
    seconds: float = 0.0

    @property
    def steps(self) -> int:
        """How many steps it has."""
        return len(self.rewards)

    @property
    def ended(self) -> bool:
        """Whether the episode came to its end, rather than the time or the actions."""
        return bool(self.steps and (self.terminated[-1] or self.truncated[-1]))


def play_trajectory(
    session: SurveySession, environment: Environment, seed: int, actions: Sequence[Any]
) -> Trajectory | None:
    """Plays these actions from this seed until they, the episode or the time are up; None where that raises."""
    rows: list[Array] = []
    try:
        return record_steps(session, environment, seed, actions, rows)
    except Exception as error:
        session.blame(error, "step" if rows else "reset")
        return None


def record_steps(
    session: SurveySession,
    environment: Environment,
    seed: int,
    actions: Sequence[Any],
    rows: list[Array],
    between: Callable[[], None] = lambda: None,
) -> Trajectory:
    """The trajectory, its observations gathered in `rows`; `between` is called after the reset and after each step."""
    flat, columns = make_flattener(environment.observation), pick_columns(environment.observation)
    rewards, ends, stops = [], [], []
    observation, _ = environment.reset(seed)
    rows.append(np.array(flat(observation), dtype=float).reshape(-1))
    taken = []
    for action in actions:
        between()
        given, began = copy_values(action), time.thread_time()
        observation, reward, terminated, truncated, _ = environment.step(given)
        taken.append(time.thread_time() - began)
        session.steps += 1
        rows.append(np.array(flat(observation), dtype=float).reshape(-1))
        rewards.append(float(reward))
        ends.append(float(bool(terminated)))
        stops.append(float(bool(truncated)))
        session.tick()
        if terminated or truncated or session.over:
            break
    kept = np.array(rows) if columns is None else np.array(rows)[:, list(columns)]
    usual = float(np.median(taken)) if len(taken) >= FEWEST_TIMED else 0.0
    return Trajectory(kept, np.array(rewards), np.array(ends), np.array(stops), usual)


@np.errstate(invalid="ignore", over="ignore")
def find_difference(first: Trajectory, second: Trajectory, labels: Sequence[str]) -> tuple[int | None, str, float]:
    """The first step at which two trajectories part, what parted there and by how much."""
    steps = min(first.steps, second.steps)
    rows = np.abs(first.rows[: steps + 1] - second.rows[: steps + 1])
    size = 1.0 + np.abs(first.rows[: steps + 1])
    both_nan = np.isnan(first.rows[: steps + 1]) & np.isnan(second.rows[: steps + 1])
    same = both_nan | (first.rows[: steps + 1] == second.rows[: steps + 1])
    close = (rows <= TOLERANCE * size) & np.isfinite(rows)
    parted = (~close & ~same) if rows.size else np.zeros((steps + 1, 0), dtype=bool)
    signals = [
        ("reward", np.abs(first.rewards[:steps] - second.rewards[:steps]), 1.0 + np.abs(first.rewards[:steps])),
        ("terminated", np.abs(first.terminated[:steps] - second.terminated[:steps]), np.ones(steps)),
        ("truncated", np.abs(first.truncated[:steps] - second.truncated[:steps]), np.ones(steps)),
    ]
    found: list[tuple[int, str, float]] = []
    in_rows = np.flatnonzero(parted.any(axis=1))
    if len(in_rows):
        step = int(in_rows[0])
        column = int(np.flatnonzero(parted[step])[0])
        found.append((step, labels[column], float(rows[step, column])))
    for name, gap, scale in signals:
        apart = np.flatnonzero(gap > TOLERANCE * scale)
        if len(apart):
            found.append((int(apart[0]) + 1, name, float(gap[apart[0]])))
    return min(found, key=lambda one: one[0]) if found else (None, "", 0.0)


def compare_instances(session: SurveySession, environment: Environment, labels: Sequence[str]) -> dict[str, Any]:
    """Compares new instances, the same one at once, one that has played before, and one beside another.

    The environment handed in is the one that was played with; where no new one can be made, it is compared with itself.
    """
    found: list[TrajectoryComparison] = []
    played: list[Trajectory] = []
    actions = unflatten_rows(
        environment.action, sample_space(environment.action, LONGEST, np.random.default_rng(session.plan.seed))
    )
    for seed in SEEDS:
        if session.over:
            break
        one = session.make() if session.fresh else environment
        other = session.make() if session.fresh else None
        first = play_trajectory(session, one, seed, actions)
        played += [first] if first is not None else []
        pairs = [("fresh", other), ("repeated", one), ("after_play", environment if session.fresh else None)]
        for kind, again in pairs:
            if again is None or first is None:
                continue
            second = play_trajectory(session, again, seed, actions)
            if second is not None:
                found.append(_compare(kind, seed, first, second, labels))
        if first is not None and other is not None:
            beside = _play_in_turn(session, one, other, seed, actions)
            if beside is not None:
                found.append(_compare("in_turn", seed, _cut(first, beside.steps), beside, labels))
        if session.fresh:
            one.close()
            if other is not None:
                other.close()
    known = [one for one in found if one.kind in ("fresh", "repeated")]
    session.deterministic = all(one.differs_at is None for one in known) if known else None
    return {"comparisons": tuple(found), "same_whatever_seed": _count_same(played, labels)}


def _count_same(played: list[Trajectory], labels: Sequence[str]) -> int:
    """The steps of episodes from different seeds, with the same actions, that are all the same; 0 where any differ."""
    if len(played) < len(SEEDS) or any(
        one.steps != played[0].steps or find_difference(played[0], one, labels)[0] is not None for one in played[1:]
    ):
        return 0
    return played[0].steps


def _compare(
    kind: str, seed: int, first: Trajectory, second: Trajectory, labels: Sequence[str]
) -> TrajectoryComparison:
    step, what, gap = find_difference(first, second, labels)
    steps = min(first.steps, second.steps)
    taken = first.seconds, second.seconds
    return TrajectoryComparison(
        kind=kind, seed=seed, steps=steps, differs_at=step, what=what, gap=gap, step_seconds=taken
    )


def _cut(path: Trajectory, steps: int) -> Trajectory:
    """The first steps of a trajectory."""
    return Trajectory(path.rows[: steps + 1], path.rewards[:steps], path.terminated[:steps], path.truncated[:steps])


def _play_in_turn(
    session: SurveySession, one: Environment, other: Environment, seed: int, actions: Sequence[Any]
) -> Trajectory | None:
    """The trajectory of one instance while another, from another seed and with other actions, is stepped in between.

    None where both are the same object, or where something raises: some simulators exist only once in a process.
    """
    if one.inner is other.inner:
        return None
    neighbour = _Neighbour(other, seed + 1, list(reversed(actions)))
    try:
        return record_steps(session, one, seed, actions[:IN_TURN], [], between=neighbour.step)
    except (SurveyStopped, OutOfMemory):
        raise
    except Exception:
        return None


class _Neighbour:
    """Another instance that is stepped after each step of the first; it begins anew where its episode ends."""

    def __init__(self, environment: Environment, seed: int, actions: Sequence[Any]) -> None:
        self._environment, self._seed = environment, seed
        self._actions = iter(actions)
        self._over = True

    def step(self) -> None:
        """One reset, where there is no episode yet or no more, or one step."""
        if self._over:
            self._environment.reset(self._seed)
            self._over = False
            return
        _, _, terminated, truncated, _ = self._environment.step(next(self._actions))
        self._over = bool(terminated or truncated)


def check_action_effect(session: SurveySession, environment: Environment) -> dict[str, Any]:
    """Whether other actions from the same seed ever make a difference, and whether they ever change what is paid.

    Asked of deterministic environments only.
    """
    if not session.deterministic:
        return {}
    rng = np.random.default_rng(session.plan.seed + 1)
    compared, differs, paid_alike = 0, False, 0
    for seed in SEEDS:
        plays = [
            play_trajectory(session, environment, seed, unflatten_rows(environment.action, rows))
            for rows in _draw_courses(environment, rng)
        ]
        first = plays[0]
        for other in plays[1:]:
            if first is None or other is None:
                return {"same_whatever_done": False} if differs else {}
            differs = differs or find_difference(first, other, [""] * first.rows.shape[1])[0] is not None
            if differs and not _pays_alike(first, other):
                shown = min(_count_shown_alike(first, each) for each in plays[1:] if each is not None)
                return {"same_whatever_done": False, "paid_whatever_done": 0, "shown_whatever_done": shown}
            compared += min(first.steps, other.steps)
            paid_alike += min(first.steps, other.steps)
        if session.over:
            break
    if not compared:
        return {}
    return {"same_whatever_done": not differs, "paid_whatever_done": paid_alike}


def _count_shown_alike(first: Trajectory, other: Trajectory) -> int:
    """The steps of two trajectories, where they show the same observations and end alike; 0 where they do not."""
    alike = first.steps == other.steps and first.ended == other.ended
    return first.steps if alike and np.array_equal(first.rows, other.rows, equal_nan=True) else 0


def _pays_alike(first: Trajectory, other: Trajectory) -> bool:
    """Whether two trajectories are equally long and pay the same at every step."""
    if first.steps != other.steps or first.ended != other.ended:
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.abs(first.rewards - other.rewards)
        return bool(np.all(gaps <= TOLERANCE * (1.0 + np.abs(first.rewards))))


def _draw_courses(environment: Environment, rng: np.random.Generator) -> list[Array]:
    """Courses of action as different as can be: random ones, and each of two fixed actions throughout."""
    steps = 300
    fixed = sample_space(environment.action, 2, rng)
    random = [sample_space(environment.action, steps, rng) for _ in range(3)]
    return random + [np.repeat(row[None, :], steps, axis=0) for row in fixed]
