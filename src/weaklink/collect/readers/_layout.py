"""Which files of a tree belong to one run: the known layouts of trainers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from weaklink.adapters.dialects import load_dialect
from weaklink.base.evidence.ranks import is_rank_folder
from weaklink.base.patterns import compile_late
from weaklink.collect.readers._files import read_head
from weaklink.collect.readers._formats import ALONE, READERS, READS_FOLDERS, RunFiles
from weaklink.collect.readers._rows import is_step_name
from weaklink.collect.readers._walk import WalkedFolder

SETTINGS = "hyperparameters"
TABLES = ("csv_table", "json_lines")
LAST_ROW = "wandb-summary.json"
"""What W&B keeps of a history that stands beside it: its last row."""

BESIDE_CONSOLE = frozenset(("console", "sb3_monitor", "sb3_evaluations"))
"""Formats beside which what was printed says more: they hold episodes and nothing else."""

PARTS = frozenset(("csv_table", "json_lines", "tensorboard", "sb3_monitor", "sb3_evaluations"))
"""Formats that each hold a part of what SB3 and its callbacks log of one run."""
CALLBACK_PARTS = frozenset(("tensorboard", "sb3_monitor", "sb3_evaluations"))
PART_FOLDERS = frozenset(("monitor", "monitors", "eval", "evals", "evaluation", "evaluations", "tb", "tensorboard",
                          "tensorboard_log", "tensorboard_logs", "events", "csv", "logs"))  # fmt: skip
MOST_COMPARED = 300

_CHECKPOINT = compile_late(r"checkpoint-\d+")
_CLOCK = compile_late(r"\d{9,10}\.\d+")
_REPEATED = compile_late(r"seed|run|trial", re.IGNORECASE)
_TRAINING = frozenset(("train", "training", "eval", "evaluation", "evaluations", "test", "val", "valid", "validation"))


@cache
def load_reader(name: str) -> ModuleType | None:
    """A reader by the name of its module, or None where this installation does not have it."""
    module = f"weaklink.collect.readers.{name}"
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name == module:
            return None
        raise


def find_reader(path: Path, names: Collection[str] = READERS) -> str | None:
    """The first reader that knows a path; one whose files have other names is not even loaded."""
    called = path.name.lower()
    is_named = bool(path.suffix) and not path.is_dir()
    for name in names:
        if is_named and not _is_called(called, name):
            continue
        module = load_reader(name)
        try:
            if module is not None and module.handles(path):
                return name
        except Exception:  # a sniff that fails has not recognised its format
            continue
    return None


@lru_cache(maxsize=4096)
def _is_called(called: str, name: str) -> bool:
    """Whether a file of this name may be one of a reader; in a sweep most files have the names of others."""
    return any(fnmatchcase(called, pattern) for pattern in READERS[name])


def group_runs(folder: WalkedFolder, *, every_table: bool = False) -> list[RunFiles]:
    """The runs of a tree, in natural order; tables that do not tell of training are passed over unless all count."""
    whole = find_reader(folder.path, READS_FOLDERS)
    if whole is not None:
        return [RunFiles(folder.path, {whole: [folder.path]})]
    own = RunFiles(folder.path)
    own.parts = _sniff_files(folder.files, None if every_table else own.passed_over)
    alone = list(_split_single_files(own))
    children = [child for child in folder.folders if not _belongs_to_tracker(child, alone)]
    _take_checkpoints(own, children)
    deeper = [run for child in children for run in group_runs(child, every_table=every_table)]
    deeper = [run for run in deeper if not _joins(run, own) and not _is_rank(run, alone)]
    deeper = _join_parts(own, deeper)
    if any(not run.formats <= BESIDE_CONSOLE for run in (own, *alone, *deeper) if run.parts):
        own.parts.pop("console", None)  # what was printed is in the better logs at or below this place
    apart = list(_split_repeated(own))
    return [*([own] if own.parts else []), *alone, *apart, *deeper]


def _sniff_files(files: Sequence[Path], passed_over: list[Path] | None) -> dict[str, list[Path]]:
    """The files by their readers; tables that do not tell of training go into `passed_over`, where it is given."""
    parts: dict[str, list[Path]] = {}
    for path in files:
        name = find_reader(path)
        if name is None or name == SETTINGS:
            continue
        if passed_over is not None and name in TABLES and not _tells_of_training(name, path):
            passed_over.append(path)
        else:
            parts.setdefault(name, []).append(path)
    if "rllib_result" in parts:  # the same rows are in the table and in the events
        parts.pop("tensorboard", None)
        parts["csv_table"] = [path for path in parts.get("csv_table", []) if path.name != "progress.csv"]
    rows = parts.get("json_lines", [])
    if len(rows) > 1:
        parts["json_lines"] = [path for path in rows if path.name != LAST_ROW]
    return {name: parts[name] for name in READERS if parts.get(name)}


def _tells_of_training(name: str, path: Path) -> bool:
    """Whether a table counts steps or has a name in it that a trainer might log: not every table is a log."""
    if path.stem == "progress":
        return True
    return any(is_step_name(key) or load_dialect("common").alias(key) is not None for key in _read_keys(name, path))


def _read_keys(name: str, path: Path) -> frozenset[str]:
    module = load_reader(name)
    return frozenset(module.columns(path)) if module is not None else frozenset()


def _split_single_files(own: RunFiles) -> Iterator[RunFiles]:
    """The runs that are one file each; a lone one of them still goes by the name of its folder."""
    found = [(name, path) for name in ALONE for path in own.parts.pop(name, [])]
    for path in _take_other_states(own):
        yield RunFiles(own.folder, {"trainer_state": [path]}, path)
    for name, path in found:
        named_by_file = len(found) > 1 or name in ("mlflow", "trackio", "comet")
        yield RunFiles(own.folder, {name: [path]}, path if named_by_file else None)


def _take_other_states(own: RunFiles) -> list[Path]:
    """Takes out the states of Hugging Face trainers that each are another training."""
    states, module = own.parts.get("trainer_state", []), load_reader("trainer_state")
    others: list[Path] = module.find_others(states) if states and module is not None else []
    if others:
        own.parts["trainer_state"] = [path for path in states if path not in others]
        own.parts = {name: paths for name, paths in own.parts.items() if paths}
    return others


def _belongs_to_tracker(child: WalkedFolder, alone: Sequence[RunFiles]) -> bool:
    """Whether a folder is W&B's own, beside the file with everything in it."""
    return child.path.name in ("files", "logs", "tmp") and any("wandb_offline" in run.parts for run in alone)


def _take_checkpoints(own: RunFiles, children: list[WalkedFolder]) -> None:
    """Takes over the newest state of a Hugging Face trainer, and its events, out of the folders below."""
    checkpoints = [child for child in children if _CHECKPOINT.fullmatch(child.path.name)]
    states = [path for child in checkpoints for path in child.files if path.name == "trainer_state.json"]
    states += own.parts.get("trainer_state", [])
    module = load_reader("trainer_state")
    if not states or module is None:
        return
    own.parts["trainer_state"] = [module.newest(states)]
    own.parts = {name: own.parts[name] for name in READERS if name in own.parts}
    logging = [child for child in children if child.path.name in ("runs", "logs")]
    events = [path for child in logging for deeper in child.below() for path in deeper.files if "tfevents" in path.name]
    if events:
        own.parts.setdefault("tensorboard", []).extend(events)
    children[:] = [child for child in children if child not in checkpoints and not (events and child in logging)]


def _is_rank(run: RunFiles, alone: Sequence[RunFiles]) -> bool:
    """Takes the recording of another rank into that of the first, in whose folder it lies."""
    first = next((one for one in alone if one.parts.keys() == {"recording"} and one.file is None), None)
    recorded = run.parts.get("recording")
    if first is None or recorded is None or run.folder.parent != first.folder or not is_rank_folder(run.folder):
        return False
    first.ranks.extend(recorded)
    return True


def _joins(run: RunFiles, own: RunFiles) -> bool:
    """Takes a folder that PyTorch made below a run's events (one tag of `add_scalars`, `add_hparams`) into the run."""
    events = run.parts.get("tensorboard", [])
    if "tensorboard" not in own.parts or run.formats != {"tensorboard"} or run.folder.parent != own.folder:
        return False
    name = run.folder.name
    if not _CLOCK.fullmatch(name) and not any(_holds_tag_of(path, name) for path in events):
        return False
    own.tagged[name] = events
    return True


def _holds_tag_of(events: Path, folder: str) -> bool:
    """Whether the events start with the tag after which their folder is named: `loss` in `loss_train`."""
    opening = read_head(events, 8192)
    words = folder.split("_")
    for count in range(1, len(words)):
        tag = "[_/]".join(
            re.escape(word.encode("utf-8", "surrogateescape")).decode("latin-1") for word in words[:count]
        )
        for match in re.finditer(rb"\x0a(.)(" + tag.encode("latin-1") + rb")", opening, re.DOTALL):
            if match.group(1)[0] == len(match.group(2)):
                return True
    return False


def _join_parts(own: RunFiles, deeper: list[RunFiles]) -> list[RunFiles]:
    """Joins what SB3 and its callbacks wrote into folders of their own, where it can only be one run."""
    if not deeper or not all(run.formats <= PARTS and run.file is None for run in deeper):
        return deeper
    formats = [name for run in (own, *deeper) for name in run.parts]
    if len(set(formats)) < len(formats):
        return deeper
    first_folders = {run.folder.relative_to(own.folder).parts[0].lower() for run in deeper}
    scattered = not own.parts and len(deeper) > 1 and first_folders <= PART_FOLDERS
    below = all(run.formats <= CALLBACK_PARTS for run in deeper) and own.formats and own.formats <= PARTS
    if not scattered and not (below and _all_known(own)):
        return deeper
    for run in deeper:
        own.parts.update(run.parts)
        own.tagged.update(run.tagged)
    own.parts = {name: own.parts[name] for name in READERS if name in own.parts}
    return []


def _all_known(own: RunFiles) -> bool:
    tables = (*own.parts.get("csv_table", ()), *own.parts.get("json_lines", ()))
    return all(path.stem == "progress" for path in tables)


def _split_repeated(own: RunFiles) -> Iterator[RunFiles]:
    """Takes out files that each are a run of their own, such as `seed_0.csv` and `seed_1.csv`."""
    for name in ("csv_table", "json_lines", "console", "sb3_monitor"):
        paths = own.parts.get(name, [])
        again = _find_runs_among(name, paths)
        for path in again:
            yield RunFiles(own.folder, {name: [path]}, path)
        if again:
            own.parts[name] = [path for path in paths if path not in again]
            if not own.parts[name]:
                del own.parts[name]


def _find_runs_among(name: str, paths: Sequence[Path]) -> list[Path]:
    if name == "sb3_monitor":
        named = [path for path in paths if _REPEATED.search(path.name)]
        return named if len(named) > 1 else []
    candidates = [path for path in paths if path.stem.lower() not in (*_TRAINING, "progress")]
    if len(candidates) < 2:
        return []
    if name == "console" or len(candidates) > MOST_COMPARED:
        return candidates
    keys = {path: frozenset(key for key in _read_keys(name, path) if not is_step_name(key)) for path in candidates}
    return [
        path for path in candidates if any(_alike(keys[path], keys[other]) for other in candidates if other != path)
    ]


def _alike(left: frozenset[str], right: frozenset[str]) -> bool:
    return 2 * len(left & right) > min(len(left), len(right))
