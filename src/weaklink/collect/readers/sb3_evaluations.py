"""The `evaluations.npz` that SB3's EvalCallback writes: the returns of every evaluation episode by timestep."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Sequence
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from weaklink.base.errors import CorruptLog, ReadError
from weaklink.base.limits import MOST_UNPACKED, check_size
from weaklink.collect.readers._files import clean, make_read_error, read_head
from weaklink.collect.readers._zip import open_part, open_zip
from weaklink.collect.readers.raw import RawLog

Array = NDArray[np.float64]

NAME = "SB3 evaluations"
LOOKS_FOR = "evaluations.npz"

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
        with open_zip(path) as archive, warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return _load(archive, path)
    except ReadError:
        raise
    except PermissionError as error:
        raise make_read_error(path, error) from error
    except Exception as error:  # a damaged archive fails in as many ways as there are bytes
        raise CorruptLog(f"{clean(path)} is damaged ({error}). Copy it again from where it was trained.") from error


def _load(archive: zipfile.ZipFile, path: Path) -> RawLog:
    log = RawLog()
    there = set(archive.namelist())
    steps = _read_array(archive, "timesteps", path).reshape(-1)
    for name in (name for name in MEANS if f"{name}.npy" in there):
        values = _read_array(archive, name, path)[: len(steps)]
        if not values.size:
            continue
        episodes = values.reshape(len(values), -1)
        at = steps[: len(episodes)]
        log.column(MEANS[name]).extend(at, episodes.sum(axis=1) / episodes.shape[1])
        if name == "results" and episodes.shape[1] > 1:
            log.column("evaluations/return_std").extend(at, episodes.std(axis=1, ddof=1))
    return log


def _read_array(archive: zipfile.ZipFile, name: str, path: Path) -> Array:
    """One array of the archive as numbers; its header, and not the archive's, tells how much memory it will take."""
    with open_part(archive, f"{name}.npy", path) as file:
        version = np.lib.format.read_magic(file)
        read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read_header(file)
        size = prod(shape) * max(dtype.itemsize, np.dtype(np.float64).itemsize)
        check_size(clean(path), size, MOST_UNPACKED, f"The array `{name}`", "Copy it again from where it was trained.")
    with open_part(archive, f"{name}.npy", path) as file:
        return np.asarray(np.lib.format.read_array(file, allow_pickle=False), dtype=np.float64)
