"""Which options of a training script set its environment, its steps, its seed and its discount.

Read from its source (argparse, click, dataclasses as tyro and others take them, absl), from its `--help`, or from the
configuration that hydra reads. Nothing is run here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from weaklink.base.errors import WeaklinkError
from weaklink.collect.probes.command import ENVIRONMENT, GAMMA, SEED, STEPS, WARMUP
from weaklink.collect.readers import read_config

ROLLOUT, EVERY, MEMBERS = "rollout", "every", "members"
NAMES: dict[str, tuple[str, ...]] = {
    ENVIRONMENT: (
        "env_id", "env_name", "gym_id", "environment_id", "environment_name", "gym_env", "env", "environment", "task",
        "task_id", "game", "scenario",
    ),
    STEPS: (
        "total_timesteps", "total_steps", "total_env_steps", "num_timesteps", "n_timesteps", "max_timesteps",
        "training_timesteps", "max_training_timesteps", "timesteps", "num_env_steps", "env_steps", "total_frames",
        "num_frames", "max_frames", "frames", "train_steps", "training_steps", "num_train_steps", "max_steps",
        "max_env_steps", "num_steps", "steps",
    ),
    SEED: ("seed", "random_seed", "rng_seed", "env_seed"),
    GAMMA: ("gamma", "discount", "discount_factor"),
    WARMUP: (
        "learning_starts", "start_timesteps", "start_steps", "warmup_steps", "learning_start", "initial_steps",
        "num_initial_steps", "random_steps", "num_seed_steps", "init_steps", "start_training", "replay_start_size",
    ),
    ROLLOUT: ("num_steps", "n_steps", "rollout_length", "rollout_steps", "steps_per_epoch", "horizon", "batch_steps"),
    EVERY: (
        "train_frequency", "train_freq", "training_freq", "training_frequency", "update_every", "update_frequency",
        "update_freq", "learn_every", "learn_frequency",
    ),
    MEMBERS: ("num_envs", "n_envs", "num_processes", "nenvs", "num_env"),
}  # fmt: skip
"""What each purpose is called in the wild, the surest name first."""

FEWEST_TOTAL = 5000
"""Some names stand for the length of a rollout in one script and of the training in another: that one is longer."""

AMBIGUOUS = frozenset(("num_steps", "steps", "max_steps", "frames", "timesteps"))
PARSERS = frozenset((
    "argparse", "tyro", "click", "typer", "absl", "fire", "hydra", "simple_parsing", "jsonargparse", "draccus",
    "configargparse", "transformers",
))  # fmt: skip
"""Packages that read a command line; a script that imports none of them, nor a file beside it, has no options."""

HYDRA = "hydra"
_HELP = re.compile(r"(?<![\w-])(--[A-Za-z][\w.-]*)(?:[ =]+(?:\{[^}]*\}|<?[\w|\[\]./-]+>?))?")
_DEFAULT = re.compile(r"\(?default[:=]\s*([^\s)\]]+)", re.IGNORECASE)


class ScriptOption(NamedTuple):
    """One option: as the command line writes it, `--env-id` or `env.id=`, and what it is by itself."""

    flag: str
    default: object = None

    @property
    def name(self) -> str:
        """Its bare name, as it is compared; `env.id` and `env.name` are called after what they belong to."""
        parts = self.flag.strip("-=+").replace("-", "_").lower().split(".")
        return "_".join(parts[-2:] if parts[-1] in ("id", "name") else parts[-1:])

    def words(self, value: str) -> tuple[str, ...]:
        """The words that set it."""
        return (f"{self.flag}{value}",) if self.flag.endswith("=") else (self.flag, value)

    @property
    def number(self) -> float | None:
        """Its default as a number."""
        try:
            return float(self.default)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return None


def find_options(file: Path) -> dict[str, ScriptOption]:
    """By purpose, the option of a script that serves it, as its source and its configuration tell."""
    tree = _parse(file)
    if tree is None:
        return {}
    return pick_options([*_list_configured(tree, file), *_list_declared(tree), *_list_fields(tree)])


def read_help(text: str) -> dict[str, ScriptOption]:
    """By purpose, the option that a help text shows."""
    found = []
    places = list(_HELP.finditer(text))
    for place, following in zip(places, [*places[1:], None], strict=False):
        said = text[place.end() : following.start() if following else None]
        default = _DEFAULT.search(said)
        found.append(ScriptOption(place.group(1), default.group(1).strip("'\"") if default else None))
    return pick_options(found)


def may_have_options(file: Path) -> bool:
    """Whether a script reads a command line, itself or by a file beside it."""
    tree = _parse(file)
    imported = set(_list_imports(tree)) if tree else set()
    return bool(imported & PARSERS) or any((file.parent / f"{name}.py").exists() for name in imported)


def pick_options(options: Iterable[ScriptOption]) -> dict[str, ScriptOption]:
    """For each purpose the option with the surest name."""
    by_name: dict[str, ScriptOption] = {}
    for option in options:
        known = by_name.get(option.name)
        if known is None or known.default is None:
            by_name[option.name] = option
    found: dict[str, ScriptOption] = {}
    for purpose, names in NAMES.items():
        fitting = (by_name[name] for name in names if name in by_name)
        chosen = next((option for option in fitting if _serves(option, purpose)), None)
        if chosen is not None and chosen not in found.values():
            found[purpose] = chosen
    return found


def _serves(option: ScriptOption, purpose: str) -> bool:
    if purpose != STEPS or option.name not in AMBIGUOUS:
        return True
    return option.number is not None and option.number >= FEWEST_TOTAL


def _parse(file: Path) -> ast.Module | None:
    try:
        return ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None


def _list_imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def _list_declared(tree: ast.Module) -> Iterator[ScriptOption]:
    """Options that are declared by a call: argparse's, click's and typer's, absl's."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        words = [word for word in map(_read_constant, call.args) if isinstance(word, str)]
        default = next((_read_constant(each.value) for each in call.keywords if each.arg == "default"), None)
        if called in ("add_argument", "option", "Option"):
            flags = [word for word in words if word.startswith("--")]
            if flags:
                yield ScriptOption(flags[0], default)
        elif called.startswith("DEFINE_") and words:
            yield ScriptOption(f"--{words[0]}", _read_constant(call.args[1]) if len(call.args) > 1 else default)


def _list_fields(tree: ast.Module) -> Iterator[ScriptOption]:
    """The fields of dataclasses, where something makes a command line of them."""
    imported = set(_list_imports(tree))
    if not imported & {"tyro", "simple_parsing", "draccus", "jsonargparse", "transformers"}:
        return
    dashed = bool(imported & {"tyro"})
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any("dataclass" in ast.unparse(each) for each in node.decorator_list):
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                    name = field.target.id.replace("_", "-") if dashed else field.target.id
                    yield ScriptOption(f"--{name}", None if field.value is None else _read_constant(field.value))


def _read_constant(node: ast.expr) -> object:
    """What an expression is where it can be known without running it: a number, a text, `int(1e6)`."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("int", "float") and len(node.args) == 1:
        return _read_constant(node.args[0])
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _list_configured(tree: ast.Module, file: Path) -> Iterator[ScriptOption]:
    """The keys of the configuration that `@hydra.main` names, with those of the groups in its defaults."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if ast.unparse(call.func) not in ("hydra.main", "main") or HYDRA not in set(_list_imports(tree)):
            continue
        told = {each.arg: _read_constant(each.value) for each in call.keywords}
        folder = file.parent / str(told.get("config_path") or ".")
        name = str(told.get("config_name") or "config").removesuffix(".yaml")
        yield from _list_keys(folder / f"{name}.yaml", "")


def _list_keys(file: Path, prefix: str) -> Iterator[ScriptOption]:
    try:
        raw: dict[str, Any] = dict(read_config(str(file)).raw)
    except WeaklinkError:
        return
    for group in raw.get("defaults") or ():
        if isinstance(group, dict):
            for name, choice in group.items():
                yield from _list_keys(file.parent / str(name) / f"{choice}.yaml", f"{prefix}{name}.")
    yield from _list_leaves(raw, prefix)


def _list_leaves(raw: dict[str, Any], prefix: str) -> Iterator[ScriptOption]:
    for key, value in raw.items():
        if isinstance(value, dict):
            yield from _list_leaves(value, f"{prefix}{key}.")
        elif not isinstance(value, list):
            yield ScriptOption(f"{prefix}{key}=", value)
