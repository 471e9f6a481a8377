"""Which formats there are, and what a run is before it is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from weaklink.base.evidence.run import Run

# In the order in which a file is sniffed and in which the files of one run are trusted: of two files that hold the
# same key, the earlier one gives it. A new reader is one line here: its module, and the names its files can have.
# The three tables below name the few that differ from one file that holds a part of a run.
ANY_JSON = "*.json"  # a name that tells nothing of the format: what is in the file does
READERS: dict[str, tuple[str, ...]] = {
    "recording": ("*.jsonl",),
    "wandb_offline": ("*.wandb",),
    "mlflow": (
        "*.db",
        "*.sqlite",
        "*.sqlite3",
    ),
    "trackio": (
        "*.db",
        "*.sqlite",
        "*.sqlite3",
    ),
    "comet": ("*.zip",),
    "trainer_state": (ANY_JSON,),
    "rllib_result": ("result.json",),
    "torchrl_csv": ("*.csv",),
    "dvclive": ("*.tsv",),
    "csv_table": ("*",),
    "json_lines": ("*",),
    "tensorboard": ("*tfevents*",),
    "sb3_monitor": ("*monitor.csv",),
    "sb3_evaluations": ("*evaluations.npz",),
    "console": ("*",),
    "hyperparameters": ("*",),
}

READS_FOLDERS = ("mlflow", "torchrl_csv", "dvclive")
"""Formats that take a whole folder as one run, or as several."""
ALONE = ("recording", "wandb_offline", "mlflow", "trackio", "comet")
"""Formats of which one file is one whole run, or several."""
APPENDED = ("recording", "json_lines", "csv_table", "tensorboard")
"""Formats that trainers only add to: their readers go on from where they stopped (`read(paths, memory)`)."""
PLAIN = {"torchrl_csv": "csv_table", "dvclive": "csv_table", "recording": "json_lines"}
"""What a file of such a name is most likely meant to be, where several formats share it."""


class RunFiles(msgspec.Struct):
    """The files of one run by reader, the folder that stands for it, and the one file where it is no folder.

    `tagged` holds the folders that PyTorch's `add_scalars` makes below the events of a run, by name, `passed_over`
    the tables of the folder that do not tell of training, and `ranks` the recordings of its other ranks.
    """

    folder: Path
    parts: dict[str, list[Path]] = {}
    file: Path | None = None
    tagged: dict[str, list[Path]] = {}
    passed_over: list[Path] = []
    ranks: list[Path] = []

    @property
    def place(self) -> Path:
        """What the run is named after."""
        return self.file or self.folder

    @property
    def formats(self) -> frozenset[str]:
        return frozenset(self.parts)

    @property
    def paths(self) -> tuple[Path, ...]:
        """Every file or folder that is read for this run."""
        return tuple(path for paths in (*self.parts.values(), *self.tagged.values(), self.ranks) for path in paths)


class FoundRun(msgspec.Struct, frozen=True):
    """One run folder or file that was found, not read yet.

    Args:
        name: its path below the path that was searched.
        source: where it lies, as text.
        read: reads it; several runs where it is a database of them.
        paths: the files and folders that make it up.
        formats: the names of the readers that know them.
        files: the same files by reader; None for a place that cannot be opened.
        read_as: the name that its run gets, empty where the log names its runs itself.
    """

    name: str
    source: str
    read: Callable[[], list[Run]]
    paths: tuple[Path, ...] = ()
    formats: tuple[str, ...] = ()
    files: RunFiles | None = None
    read_as: str = ""
