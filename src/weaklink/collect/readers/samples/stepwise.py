"""Rows that are single steps of an environment: those of one episode become one trajectory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from weaklink.collect.readers.samples.names import find_field

EPISODES = (
    "episode_id", "episode", "ep_id", "ep", "episode_idx", "episode_index", "traj_id", "trajectory_id", "traj",
    "rollout_id", "rollout", "env_id", "env", "id",
)  # fmt: skip
"""Fields that say which episode a step is of, the surest first."""

ACTIONS = ("action", "act", "command", "move", "response", "tool")
SEEN = ("obs", "observation", "state", "screen")
SEEN_NEXT = ("next_obs", "next_observation", "next_state", "result", "tool_output")
ENDS = ("done", "terminated", "terminal", "truncated", "is_last", "last")
CLOCKS = ("t", "timestep", "time_step", "step_idx", "step_index", "env_step", "turn", "turn_id", "step_in_episode")

MOST_OPEN = 256
"""Episodes that are held at a time: environments that run side by side."""
MOST_STEPS = 10_000
"""Steps of an episode that are kept."""


def is_step(row: Mapping[str, Any]) -> bool:
    """Whether a row is one step of an episode: an action, and what was seen, with an end or a clock beside them."""
    has_body = any(find_field(name) in ("messages", "steps", "chosen") for name in row if isinstance(name, str))
    seen = _find(row, SEEN) or _find(row, SEEN_NEXT)
    return bool(not has_body and _find(row, ACTIONS) and seen and (_find(row, ENDS) or _find(row, CLOCKS)))


class EpisodeJoiner:
    """Joins steps to episodes; an episode ends where its steps say so, or where another begins in its place."""

    def __init__(self) -> None:
        self._open: dict[str, list[Mapping[str, Any]]] = {}

    def take(self, row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Takes one more step, and gives the episodes that it ends."""
        name = _find(row, EPISODES)
        key = str(row[name]) if name else ""
        steps = self._open.get(key)
        clock = _find(row, CLOCKS)
        if steps and clock and _is_earlier(row[clock], steps[-1].get(clock)):
            yield _join_steps(self._open.pop(key))
        if key not in self._open and len(self._open) >= MOST_OPEN:
            yield _join_steps(self._open.pop(next(iter(self._open))))
        steps = self._open.setdefault(key, [])
        if len(steps) < MOST_STEPS:
            steps.append(row)
        if any(row.get(end) in (True, 1) for end in ENDS):
            yield _join_steps(self._open.pop(key))

    def rest(self) -> Iterator[dict[str, Any]]:
        """The episodes that nothing ended."""
        for steps in self._open.values():
            yield _join_steps(steps)
        self._open.clear()


def _is_earlier(now: object, before: object) -> bool:
    return isinstance(now, int | float) and isinstance(before, int | float) and now <= before


def _join_steps(rows: list[Mapping[str, Any]]) -> dict[str, Any]:
    """One trajectory: what the last step says of the whole, the rewards added up, each action with what came of it."""
    first = rows[0]
    action, seen, after = _find(first, ACTIONS), _find(first, SEEN), _find(first, SEEN_NEXT)
    inside = {action, seen, after, "reward", *ENDS, *CLOCKS}
    told = {name: value for name, value in rows[-1].items() if name not in inside}
    paid = [row["reward"] for row in rows if isinstance(row.get("reward"), int | float)]
    if paid:
        told["reward"] = float(sum(paid))
    if seen and not any(find_field(name) == "prompt" for name in told):
        told["prompt"] = str(first.get(seen, ""))
    nexts = [row.get(after) for row in rows] if after else [*(row.get(seen) for row in rows[1:]), None]
    told["steps"] = [
        {"action": str(row.get(action, "")), "observation": "" if result is None else str(result)}
        for row, result in zip(rows, nexts, strict=True)
    ]
    # a reward that is the same at every step is what each step is worth, such as to have stayed up
    if len(paid) == len(rows) and not min(paid) == max(paid) > 0.0:
        told["step_rewards"] = paid
    return told


def _find(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((name for name in names if row.get(name) is not None), "")
