"""Logs of any known format to runs: one format a file, each sniffing its own.

`read` gives the one run that a path holds, `discover` lists the runs below it without reading them, `read_all` reads
them one after the other, and `read_text` takes console output that somebody pasted. No reader is imported before a
path has to be recognised.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from weaklink.base.errors import EmptyLog, ReadError
from weaklink.collect.readers._formats import READERS, FoundRun

if TYPE_CHECKING:
    from weaklink.base.evidence.config import Config
    from weaklink.base.evidence.run import Run


def read(path: str | Path) -> Run:
    """Reads the one run that a file or folder holds.

    Args:
        path: a log or a run folder of any known format.

    Raises:
        UsageError: the path holds several runs; the message names them.
        ReadError: there is no run, or it cannot be read.
    """
    from weaklink.collect.readers._discovery import read_single_run

    return read_single_run(Path(path))


def read_config(path: str | Path) -> Config:
    """Reads hyper-parameters: a JSON or YAML file of any name, or those of the run that a log or folder holds.

    Raises:
        ReadError: the path cannot be read, or holds no hyper-parameters.
    """
    from weaklink.base.evidence.config import Config
    from weaklink.collect.readers import hyperparameters

    file = Path(path)
    if file.suffix.lower() in hyperparameters.SUFFIXES and file.is_file():
        found = Config.of(hyperparameters.read([file])[0].config, str(file))
    else:
        found = read(file).config
    if not found:
        raise EmptyLog(f"{path} holds no hyper-parameters. Give a JSON or YAML file of them, such as config.yaml.")
    return found


def may_be_log(place: PurePosixPath) -> bool:
    """Whether `discover` would look at a file, as far as its place below the folder tells."""
    from weaklink.collect.readers._walk import may_be_log as has_name_of_log

    return has_name_of_log(place)


def discover(path: str | Path) -> list[FoundRun]:
    """Lists the runs at or below a path in natural order, without reading them.

    Raises:
        ReadError: there is no run.
    """
    from weaklink.collect.readers._discovery import find_runs

    return find_runs(Path(path))


def read_all(path: str | Path) -> Iterator[Run | ReadError]:
    """Reads every run at or below a path; one that cannot be read is given as its error.

    Raises:
        ReadError: there is no run at all.
    """
    for found in discover(path):
        try:
            yield from found.read()
        except ReadError as error:
            yield error


def read_text(text: str, name: str = "standard input") -> Run:
    """Reads a run from text: console output, or the content of a CSV, JSON or JSON Lines file.

    Raises:
        ReadError: no metrics were found in it.
    """
    from weaklink.collect.readers._pasted import read_pasted

    return read_pasted(text, name)


__all__ = ["READERS", "FoundRun", "discover", "may_be_log", "read", "read_all", "read_config", "read_text"]
