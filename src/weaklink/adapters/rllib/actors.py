"""The env runners of one RLlib training as ranks of it: what each collected, in a recording of its own."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from weaklink.adapters.rllib.listening import EPISODES, RETURNS, WEIGHTS
from weaklink.base.evidence.ranks import RankPlace, name_rank_folder
from weaklink.base.evidence.store import Recording


class ActorRecordings:
    """Recordings beside that of the learner: rank 0 learns and collects nothing, rank N is the env runner N.

    Args:
        folder: of the learner's recording.
        count: how many env runners there are.
        config: what each recording tells of the settings.
        context: what each tells besides.
    """

    def __init__(self, folder: Path, count: int, config: Mapping[str, Any], context: Mapping[str, Any]) -> None:
        self._folder, self._count = folder, count
        self._config, self._context = dict(config), dict(context)
        self._launch = uuid.uuid4().hex
        self._open: dict[int, Recording] = {}

    def place(self, rank: int) -> dict[str, Any]:
        """What a recording says of its place among the others."""
        place = RankPlace(rank=rank, world=self._count + 1, local=rank, launch=self._launch, collects=rank > 0)
        found: dict[str, Any] = msgspec.to_builtins(place)
        return found

    def write(self, step: float, told: Mapping[str, Mapping[str, Any]], learned: float | None) -> None:
        """Writes a row of each runner.

        Args:
            step: where the training stands.
            told: what each runner sent, by its number.
            learned: the number of the newest weights, where it is known.
        """
        for name, numbers in told.items():
            row: dict[str, float] = {}
            if numbers.get(EPISODES):
                row["reward.episode_return"] = float(numbers[RETURNS]) / float(numbers[EPISODES])
            if learned is not None and WEIGHTS in numbers:
                row["data.staleness"] = learned - float(numbers[WEIGHTS])
            if row and name.isdigit() and 0 < int(name) <= self._count:
                self._find(int(name)).write(step, row)

    def _find(self, rank: int) -> Recording:
        if rank not in self._open:
            folder = self._folder / name_rank_folder(rank)
            context = {**self._context, "rank": self.place(rank)}
            self._open[rank] = Recording(folder, config=self._config, context=context)
        return self._open[rank]

    def close(self) -> None:
        """Ends them."""
        for recording in self._open.values():
            recording.close()
        self._open.clear()
