"""Which states of a training are kept: the best, the last, the last healthy one, and one that failed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

BEST, LAST, HEALTHY, FAILED = "best", "last", "healthy", "failed"

INDEX = "checkpoints.json"

PARTIAL = ".partial-checkpoint-"
"""How the name of a checkpoint begins while it is being written."""

Save = Callable[[str], Any]
"""Writes the state of the training to a path that does not exist yet: a file there, or with an ending of its own, or a
folder. The folder above it exists."""


class KeptCheckpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One checkpoint; `path` is relative to the folder of checkpoints."""

    step: float
    path: str
    healthy: bool
    score: float | None = None
    reason: str = ""


def _print_on_terminal(line: str) -> None:
    print(f"weaklink: {line}", file=sys.stderr)


class Checkpoints:
    """Checkpoints in a folder, at most four: best evaluation, last, last healthy, failed.

    One state may stand in several places at once and is then saved once. What it takes the place of is removed after
    it is complete and `checkpoints.json` names it; nothing else in the folder is touched. A save that fails is told in
    one line and loses nothing.

    Args:
        folder: where they are kept; it is made when the first one is.
        tell: is given a line for each save that failed; by default it is printed.
    """

    def __init__(self, folder: str | os.PathLike[str], tell: Callable[[str], object] = _print_on_terminal) -> None:
        self.folder = Path(folder)
        self._tell = tell
        self.kept: dict[str, KeptCheckpoint] = self._read()

    def offer(self, step: float, save: Save, healthy: bool, score: float | None = None) -> str | None:
        """Saves the state of the training as the last one and, where it is, as the last healthy and the best one.

        Args:
            step: of the training.
            save: writes the state to the path that it is given.
            healthy: whether nothing is known to be wrong with the training.
            score: of an evaluation of this state, the more the better.

        Returns:
            Where it was saved, or None where saving failed.
        """
        places = [LAST]
        if healthy:
            places.append(HEALTHY)
        if score is not None and isfinite(score) and score > self._best:
            places.append(BEST)
        return self._keep(places, step, save, healthy=healthy, score=score, reason="")

    def failed(self, step: float, save: Save, reason: str) -> str | None:
        """Saves the state that failed, with the reason. Returns where it was saved, or None where saving failed."""
        return self._keep([FAILED], step, save, healthy=False, score=None, reason=reason)

    def rollback(self) -> str | None:
        """The checkpoint to go back to: the last healthy one, otherwise the best; with its step and why. None where
        there is none."""
        for place, why in ((HEALTHY, "the last healthy state"), (BEST, "the best evaluation, none was healthy")):
            kept = self.kept.get(place)
            if kept is not None and (self.folder / kept.path).exists():
                failed = self.kept.get(FAILED)
                told = failed is not None and failed.reason and failed.step >= kept.step
                before = f", before {failed.reason.rstrip('.')}" if failed is not None and told else ""
                return f"{self.folder / kept.path} (step {kept.step:g}: {why}{before})"
        return None

    @property
    def _best(self) -> float:
        kept = self.kept.get(BEST)
        return float("-inf") if kept is None or kept.score is None else kept.score

    def _keep(self, places: list[str], step: float, save: Save, **about: Any) -> str | None:
        partial: Path | None = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            name = self._free_name(step)
            partial = self.folder / f"{PARTIAL}{name}"
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            save(str(partial / "state"))
            path = self._complete(partial, name)
            kept = KeptCheckpoint(step=float(step), path=path, **about)
            self._write({**self.kept, **dict.fromkeys(places, kept)}, newest=self.folder / name)
        except Exception as error:  # a checkpoint that cannot be written must not end a training
            self._tell(f"the state at step {step:g} could not be saved: {type(error).__name__}: {str(error)[:200]}")
            return None
        finally:
            if partial is not None:
                shutil.rmtree(partial, ignore_errors=True)
        return str(self.folder / path)

    def _free_name(self, step: float) -> str:
        name, again = f"checkpoint-{step:.0f}", 2
        while (self.folder / name).exists():
            name, again = f"checkpoint-{step:.0f}-{again}", again + 1
        return name

    def _complete(self, partial: Path, name: str) -> str:
        """Gives a written checkpoint its name, and tells the path of what was written."""
        written = sorted(each.name for each in partial.iterdir())
        if not written:
            raise OSError("nothing was written to the path given")
        partial.rename(self.folder / name)
        return f"{name}/{written[0]}" if len(written) == 1 else name

    def _write(self, kept: dict[str, KeptCheckpoint], newest: Path) -> None:
        """Puts the index in place, then removes what it names no longer."""
        temporary = self.folder / f"{INDEX}.new"
        try:
            temporary.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=2))
            os.replace(temporary, self.folder / INDEX)
        except OSError:
            shutil.rmtree(newest, ignore_errors=True)
            raise
        before, self.kept = self.kept, kept
        in_use = {_find_top_folder(each.path) for each in kept.values()}
        for each in {_find_top_folder(old.path) for old in before.values()} - in_use:
            shutil.rmtree(self.folder / each, ignore_errors=True)
        for left in self.folder.glob(f"{PARTIAL}*"):  # of a process that died while saving
            shutil.rmtree(left, ignore_errors=True)

    def _read(self) -> dict[str, KeptCheckpoint]:
        index = self.folder / INDEX
        try:
            kept = msgspec.json.decode(index.read_bytes(), type=dict[str, KeptCheckpoint])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.MsgspecError) as error:
            self._tell(f"{index} cannot be read, so the checkpoints it names are left alone: {str(error)[:200]}")
            return {}
        return {place: each for place, each in kept.items() if _find_top_folder(each.path).startswith("checkpoint-")}


def _find_top_folder(path: str) -> str:
    """The folder of a checkpoint, from the path of what lies in it."""
    return path.partition("/")[0]
