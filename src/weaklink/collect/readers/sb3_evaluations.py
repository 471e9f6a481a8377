"""The `evaluations.npz` that SB3's EvalCallback writes: the returns of every evaluation episode by timestep."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from weaklink.base.errors import CorruptLog
from weaklink.collect.readers._files import clean, make_read_error, read_head
from weaklink.collect.readers.raw import RawLog

NAME = "SB3 evaluations"
LOOKS_FOR = "evaluations.npz"

MOST_BYTES = 1 << 30
MEANS = {"results": "evaluations/return", "ep_lengths": "evaluations/length", "successes": "evaluations/success_rate"}


def handles(path: Path) -> bool:
    """Whether the file is named as EvalCallback names it and is a zip archive."""
    return path.name.endswith("evaluations.npz") and read_head(path, 2) == b"PK"


def read(paths: Sequence[Path]) -> list[RawLog]:
    """Reads the means over the episodes of each evaluation, and the spread of the returns."""
    log = RawLog(source=str(paths[0]), framework="sb3", axis="env_steps")
    for path in paths:
        log.absorb(_read_guarded(path))
    return [log]


def _read_guarded(path: Path) -> RawLog:
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > MOST_BYTES:
            raise CorruptLog(f"{clean(path)} unpacks to {size} bytes, more than any evaluation log: it was not read.")
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return _load(path)
    except CorruptLog:
        raise
    except PermissionError as error:
        raise make_read_error(path, error) from error
    except Exception as error:  # a damaged archive fails in as many ways as there are bytes
        raise CorruptLog(f"{clean(path)} is damaged ({error}). Copy it again from where it was trained.") from error


def _load(path: Path) -> RawLog:
    log = RawLog()
    with np.load(path, allow_pickle=False) as archive:
        steps = np.asarray(archive["timesteps"], dtype=np.float64).reshape(-1)
        for name in (name for name in MEANS if name in archive.files):
            values = np.asarray(archive[name], dtype=np.float64)[: len(steps)]
            if not values.size:
                continue
            episodes = values.reshape(len(values), -1)
            at = steps[: len(episodes)]
            log.column(MEANS[name]).extend(at, episodes.sum(axis=1) / episodes.shape[1])
            if name == "results" and episodes.shape[1] > 1:
                log.column("evaluations/return_std").extend(at, episodes.std(axis=1, ddof=1))
    return log
