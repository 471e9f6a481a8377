"""Hyper-parameters found beside logs, in the files and places where trainers are known to leave them.

Only JSON and YAML are read; pickles (`training_args.bin`, `params.pkl`, `vecnormalize.pkl`) never are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import CorruptLog
from weaklink.base.evidence.config import LANGUAGE, OFF_POLICY, ON_POLICY, normalise_name
from weaklink.base.limits import DEEPEST, LARGEST_CONFIG
from weaklink.base.patterns import compile_late
from weaklink.collect.readers._files import clean, decode_text, is_file, read_head
from weaklink.collect.readers.raw import RawLog

NAME = "configuration file"
LOOKS_FOR = "config.yaml, config.json, params.json, args.yml"

STEMS = ("config", "params", "args", "hparams", "hyperparams", "hyperparameters", "configuration", "cfg", "variant",
         "arguments", "training_args", "flags", "settings", "experiment_config", "agent")  # fmt: skip
SUFFIXES = (".json", ".yaml", ".yml")
_NAMES = tuple(f"{stem}{suffix}" for stem in STEMS for suffix in SUFFIXES)
MODEL_MARKS = frozenset(("architectures", "model_type", "vocab_size", "transformers_version"))
"""A `config.json` with one of these describes a language model, not its training."""

HYDRA = ".hydra/config.yaml"
NESTED = (HYDRA, "files/config.yaml", "params/agent.yaml", "sacred/config.json")
"""Where Hydra, W&B, Isaac Lab and Sacred keep the configuration below the folder of a run."""
ZOO = ("config.yml", "args.yml", "env_kwargs.yml")

_ALGORITHMS = ON_POLICY | OFF_POLICY | LANGUAGE
_NUMBERED = compile_late(r"(.+)_(\d+)")
_CLEANRL = compile_late(r"(?P<env_id>.+?)__(?P<exp_name>.+?)__(?P<seed>\d+)__(\d+)")


class CollectedConfig(msgspec.Struct):
    """Hyper-parameters by name, the first find of a name kept, and remarks on files that could not be read."""

    values: dict[str, Any] = {}
    notes: list[str] = []

    def take(self, values: Mapping[str, Any]) -> None:
        """Adds what is not known yet; empty values tell nothing."""
        for key, value in values.items():
            if value is not None and value != "":
                self.values.setdefault(str(key), value)


def handles(path: Path) -> bool:
    """Whether the file is named as configurations are."""
    return path.stem.lower() in STEMS and path.suffix.lower() in SUFFIXES and is_file(path)


def read(paths: Sequence[Path]) -> list[RawLog]:
    """Reads configuration files that were given by themselves: logs without a number."""
    found = CollectedConfig()
    for path in paths:
        _take_file(path, found)
    if not found.values and found.notes:
        raise CorruptLog(f"{found.notes[0]}. Give a JSON or YAML file whose top is a mapping.")
    return [RawLog(source=str(paths[0]), config=found.values, notes=found.notes)]


def read_beside(folder: Path) -> dict[str, Any]:
    """The hyper-parameters of the run that is logged in a folder."""
    return find(folder).values


def find(folder: Path) -> CollectedConfig:
    """The hyper-parameters of the run that is logged in a folder, with remarks on what could not be read."""
    found = CollectedConfig()
    for path in _find_files(folder):
        _take_file(path, found)
    _take_nested(folder, found)
    _take_parent(folder, found)
    found.take(_parse_folder_name(folder))
    return found


def list_files(folder: Path) -> Iterator[str]:
    """Every file that `find` reads, or that it would read where the run beside it were named otherwise."""
    place = os.path.realpath(folder)
    parent, name = os.path.split(place)
    numbered = _NUMBERED.fullmatch(name)
    zoos = [parent, *([os.path.join(folder, numbered.group(1))] if numbered is not None else [])]
    places = [
        *(os.path.join(folder, one) for one in NESTED),
        *(os.path.join(zoo, one) for zoo in zoos for one in ZOO),
        *(os.path.join(parent, one) for one in ("configuration.yaml", HYDRA)),
    ]
    yield from map(str, _find_files(folder))
    yield from filter(os.path.isfile, places)
    if os.path.basename(parent) == ".summary":
        yield from map(str, _find_files(Path(parent).parent))


def _find_files(folder: Path) -> Iterator[Path]:
    """The configuration files of a folder, in the order in which they are trusted."""
    try:
        there = {name.lower() for name in os.listdir(folder)}  # one look at the folder in place of one a name
    except OSError:
        return
    for name in _NAMES:
        if name in there and _is_own_file(folder / name, folder):
            yield folder / name


def _is_own_file(path: Path, folder: Path) -> bool:
    """Whether this is a file of the folder, and not behind a link that leads out of it."""
    return is_file(path) and path.resolve().is_relative_to(folder.resolve())


def _take_nested(folder: Path, found: CollectedConfig) -> None:
    """Hydra's, W&B's and Isaac Lab's subfolders, and the RL Zoo's, which is named after the environment."""
    for place in NESTED:
        if _is_own_file(folder / place, folder):
            _take_file(folder / place, found)
    numbered = _NUMBERED.fullmatch(folder.resolve().name)
    if numbered is not None:
        _take_zoo(folder / numbered.group(1), found)


def _take_zoo(folder: Path, found: CollectedConfig) -> None:
    for name in ZOO:
        if not _is_own_file(folder / name, folder):
            continue
        part = CollectedConfig()
        _take_file(folder / name, part)
        if name == "env_kwargs.yml":
            part.values = {"env_kwargs": part.values} if part.values else {}
        elif name == "args.yml":  # -1 and similar values mean: as the configuration says
            part.values = {key: value for key, value in part.values.items() if not _unset(value)}
        found.take(part.values)
        found.notes.extend(part.notes)


def _unset(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value < 0


def _take_parent(folder: Path, found: CollectedConfig) -> None:
    """ML-Agents keeps one file for all behaviours, the RL Zoo keeps `PPO_1/` below its own folder, Hydra anything.

    Sample Factory logs each policy into `.summary/0` below the folder with its configuration.
    """
    parent = folder.resolve().parent
    part = CollectedConfig()
    if _is_own_file(parent / "configuration.yaml", parent):
        _take_file(parent / "configuration.yaml", part)
        behaviours = part.values.pop("behaviors", None)
        if isinstance(behaviours, Mapping):
            own = behaviours.get(folder.resolve().name)
            found.take(own if isinstance(own, Mapping) else {})
            found.take(part.values)
    if _is_own_file(parent / "args.yml", parent) and _NUMBERED.fullmatch(parent.parent.name):
        _take_zoo(parent, found)
    if _is_own_file(parent / HYDRA, parent):
        _take_file(parent / HYDRA, found)
    for path in _find_files(parent.parent) if parent.name == ".summary" else ():
        _take_file(path, found)
    found.notes.extend(part.notes)


def _parse_folder_name(folder: Path) -> dict[str, Any]:
    """What the name of a folder tells: `PPO_1`, `ppo/CartPole-v1_1`, `CartPole-v1__ppo__1__1690000000`."""
    place = folder.resolve()
    cleanrl = _CLEANRL.fullmatch(place.name)
    if cleanrl is not None:
        return cleanrl.groupdict()
    for name in (place.name, place.parent.name):
        first = re.split(r"[_\s]", name, maxsplit=1)[0]
        if normalise_name(first) in _ALGORITHMS:
            return {"algo": first.lower()}
    return {}


def _take_file(path: Path, found: CollectedConfig) -> None:
    try:
        found.take(load(path))
    except ValueError as error:
        found.notes.append(f"{clean(path.name)} could not be read as a configuration: {error}")


def load(path: Path) -> dict[str, Any]:
    """A configuration file as nested mappings.

    Raises:
        ValueError: it is too large, damaged, or its top is no mapping.
    """
    content = read_head(path, LARGEST_CONFIG + 1)
    if len(content) > LARGEST_CONFIG:
        raise ValueError(f"it may have {LARGEST_CONFIG:,} bytes at most")
    text = decode_text(content)
    if not text.strip():
        return {}
    from weaklink.collect.readers import _trackers, _yaml  # most logs have no such file beside them

    value = _trackers.parse_json(text) if path.suffix.lower() == ".json" else _yaml.load(text)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError("its top is no mapping")
    if path.name == "config.json" and MODEL_MARKS & value.keys():
        return {}
    return _unwrap_settings(value)


def _unwrap_settings(value: dict[str, Any]) -> dict[str, Any]:
    """W&B's `{key: {value: ...}}` unwrapped, a class of algorithm named, of bounded depth."""
    wrapped = [part for part in value.values() if isinstance(part, dict) and "value" in part and len(part) <= 2]
    if wrapped and len(wrapped) >= len(value) - 2:
        value = {key: part["value"] for key, part in value.items() if isinstance(part, dict) and "value" in part}
        value.pop("_wandb", None)
    algorithm = value.get("algorithm")
    if isinstance(algorithm, dict) and isinstance(algorithm.get("class_name"), str):
        value = {**value, "algo": algorithm["class_name"]}
    return {str(key): _bound_depth(part, DEEPEST) for key, part in value.items()}


def _bound_depth(value: object, depth: int) -> Any:
    if isinstance(value, dict):
        return {str(key): _bound_depth(part, depth - 1) for key, part in value.items()} if depth else {}
    return value
