"""What is debugged: a file or module of the user's, or flags; and the parts of it, loaded in a process of our own."""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module, util
from pathlib import Path
from typing import Any

import msgspec

from weaklink.adapters.framework import find_framework
from weaklink.base.errors import UsageError
from weaklink.base.evidence.config import parse_value
from weaklink.base.outside.named import load_module, load_named

PARTS = ("make_env", "make_model", "train", "config", "steps", "automaton", "components", "goal_metric")
"""The names that a target may define."""

EXAMPLE = "weaklink.verbs.debug.example"

NEEDED = (
    "A target is file.py, module or module:name with make_env(), and beside it make_model(env) or "
    "train(make_env, steps, seed); or, for a language model, with make_model() alone, which makes the trainer; or give "
    "--algo sb3:PPO --env CartPole-v1. A script without these that trains is run as it is."
)

_FILE = re.compile(r"^(?P<module>.+\.py)(?::(?P<name>[A-Za-z_][\w.]*))?$")
_MODULE = re.compile(r"^(?P<module>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?::(?P<name>[A-Za-z_][\w.]*))?$")


class CaseTarget(msgspec.Struct, frozen=True, kw_only=True):
    """What is debugged, in words alone, so that it can travel to other processes.

    `word` is what the user gave, `name` what its folder is called. `module` is a dotted module or the whole path of a
    file, `attribute` the thing inside it that has the parts. `algorithm`, `environment` and `settings` come from flags
    and win over the parts of the same kind. `folder` is where it was given, from where it is loaded. `arguments` are
    those of a plain script, which has no parts and is run.
    """

    word: str
    name: str
    module: str = ""
    attribute: str = ""
    algorithm: str = ""
    environment: str = ""
    settings: dict[str, Any] = {}
    folder: str = ""
    arguments: tuple[str, ...] = ()

    @property
    def file(self) -> Path | None:
        """The file that it is, where it is one."""
        return Path(self.module) if self.module.endswith(".py") else None

    def part(self, name: str) -> str:
        """The word by which other commands find one of its parts, such as `project.py:train`."""
        module = self.word.rpartition(":")[0] if self.attribute else self.word
        return f"{module}:{f'{self.attribute}.' if self.attribute else ''}{name}"

    @property
    def environment_word(self) -> str:
        """What `weaklink preflight` is given to look at its environment."""
        return self.environment or self.part("make_env")


def refuse_environment() -> Any:
    """What stands for `make_env` in a target that has none."""
    raise UsageError("The target defines no make_env, and this needs an environment: define make_env(), or give --env.")


class LoadedTarget(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a target. `make_env` makes a new environment with each call; None for what there is none of."""

    make_env: Callable[[], Any] = refuse_environment
    make_model: Callable[..., Any] | None = None
    train: Callable[..., Any] | None = None
    config: dict[str, Any] = {}
    steps: int = 0
    automaton: Callable[[Any], Any] | None = None
    components: tuple[str, ...] = ()
    goal_metric: str = ""

    @property
    def has_environment(self) -> bool:
        """Whether there is one: the trainer of a language model has none."""
        return self.make_env is not refuse_environment

    def model(self) -> Any:
        """A new model; only where there is `make_model`."""
        assert self.make_model is not None
        return self.make_model(self.make_env()) if self.has_environment else self.make_model()


def parse_target(
    word: str = "",
    *,
    algorithm: str = "",
    environment: str = "",
    settings: Iterable[str] = (),
    arguments: Iterable[str] = (),
) -> CaseTarget:
    """The target that a word and flags stand for. Nothing of the user's is run here.

    Args:
        word: `file.py`, `module` or `module:name`; empty where flags say it all.
        algorithm: such as `sb3:PPO`.
        environment: a Gymnasium id, or `module:factory`.
        settings: `name=value`, hyper-parameters of the algorithm.
        arguments: of a plain script.

    Raises:
        UsageError: it cannot be one.
    """
    given = dict(_parse_pairs(settings))
    if given and not algorithm:
        raise UsageError(
            f"--set-up {next(iter(given))}=... sets the algorithm up that --algo names, and none is named."
        )
    if algorithm and not re.match(r"^(sb3|sb3_contrib|torchrl):\w+$", algorithm):
        raise UsageError(
            f"--algo takes sb3:NAME, sb3_contrib:NAME or torchrl:NAME, such as sb3:PPO, not '{algorithm}'."
        )
    if not word:
        if not environment:
            raise UsageError(f"Nothing says which environment. {NEEDED}")
        called = "-".join(filter(None, (algorithm.rpartition(":")[2], environment)))
        return CaseTarget(
            word="",
            name=_make_name(called),
            algorithm=algorithm,
            environment=environment,
            settings=given,
            folder=_find_current_folder(),
        )
    module, attribute = _split(word)
    stem = Path(module).stem if module.endswith(".py") else module
    return CaseTarget(
        word=word,
        name=_make_name(f"{stem}-{attribute}" if attribute else stem),
        module=module,
        attribute=attribute,
        algorithm=algorithm,
        environment=environment,
        settings=given,
        folder=_find_current_folder(),
        arguments=tuple(arguments),
    )


def make_example_target(settings: Iterable[str] = ()) -> CaseTarget:
    """The project that comes with weaklink, for those who have none at hand.

    Raises:
        UsageError: what it trains with is not installed.
    """
    if util.find_spec("stable_baselines3") is None or util.find_spec("gymnasium") is None:
        raise UsageError(
            "The example needs Stable-Baselines3: pip install 'weaklink[sb3]'. Or name a target of your own."
        )
    return msgspec.structs.replace(parse_target(EXAMPLE, settings=settings), name="example")


def load_target(target: CaseTarget) -> LoadedTarget:
    """The parts of a target. This runs the user's code: only ever in a process of our own.

    Raises:
        UsageError: a part is missing, or is not what it should be.
    """
    with _enter_folder(target):
        parts = _find_parts(target)
        make_env = _find_environment_maker(target, parts)
        algorithm = _make_algorithm_parts(target) if target.algorithm else {}
        trained = algorithm or {name: _check_callable(parts, name, target) for name in ("make_model", "train")}
        return LoadedTarget(
            make_env=make_env,
            **trained,
            automaton=_check_callable(parts, "automaton", target),
            config=_check_config(parts.get("config"), target) | target.settings,
            steps=_check_steps(parts.get("steps"), target),
            components=_check_components(parts.get("components"), target),
            goal_metric=str(parts.get("goal_metric") or ""),
        )


def _find_current_folder() -> str:
    return os.path.abspath(os.curdir)


def _make_name(text: str) -> str:
    """A name for a folder."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-.") or "target"


def _parse_pairs(settings: Iterable[str]) -> Iterator[tuple[str, Any]]:
    for text in settings:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set-up takes NAME=VALUE, such as --set-up learning_rate=0.001, not '{text}'.")
        yield name.strip(), parse_value(value.strip())


def _split(word: str) -> tuple[str, str]:
    """The module, a file by its whole path, and the name inside it."""
    as_file = _FILE.match(word)
    if as_file:
        file = Path(as_file["module"]).absolute()
        if not file.is_file():
            raise UsageError(f"There is no file {as_file['module']}. {NEEDED}")
        return str(file), as_file["name"] or ""
    as_module = _MODULE.match(word)
    if as_module is None:
        raise UsageError(f"'{word}' is no target. {NEEDED}")
    return as_module["module"], as_module["name"] or ""


@contextlib.contextmanager
def _enter_folder(target: CaseTarget) -> Iterator[None]:
    """Has words looked up from the folder in which the target was given."""
    if target.folder and target.folder not in sys.path:
        sys.path.insert(0, target.folder)
    yield


def _find_parts(target: CaseTarget) -> dict[str, Any]:
    """The parts by name: of a module, of a thing inside it, or one function that makes the environment."""
    if not target.module:
        return {}
    if not target.attribute:
        holder = load_module(target.module, "The target")
    else:
        holder = load_named(f"{target.module}:{target.attribute}", "The target")
    found = {name: getattr(holder, name) for name in PARTS if getattr(holder, name, None) is not None}
    if not found and target.attribute and callable(holder):
        return {"make_env": holder}
    return found


def _find_environment_maker(target: CaseTarget, parts: Mapping[str, Any]) -> Callable[[], Any]:
    """A function that makes the environment, whatever stands for it."""
    thing = target.environment or parts.get("make_env")
    if thing is None and _needs_nothing(parts.get("make_model")):
        return refuse_environment
    if thing is None:
        raise UsageError(f"{target.word} defines no make_env. {NEEDED}")
    if not isinstance(thing, str) and not callable(thing):
        raise UsageError(
            f"make_env of {target.word} is a function that returns an environment, or a Gymnasium id, not "
            f"{type(thing).__name__}."
        )

    def make() -> Any:
        made = thing if isinstance(thing, str) else thing()
        return (
            import_module("weaklink.collect.survey.surveyed").make_environment(made, {})
            if isinstance(made, str)
            else made
        )

    return make


def _needs_nothing(make_model: Any) -> bool:
    """Whether a function can be called as it is."""
    try:
        inspect.signature(make_model).bind()
    except (TypeError, ValueError):
        return False
    return True


def _make_algorithm_parts(target: CaseTarget) -> dict[str, Any]:
    """The parts that train by the algorithm of the flags."""
    package, _, name = target.algorithm.partition(":")
    if package == "torchrl":
        train = import_module("weaklink.collect.probes.trainers").find_trainer(
            target.algorithm, target.settings or None
        )
        return {"train": train}
    sb3 = find_framework("sb3")
    sb3.require(target.algorithm, sb3.trainers[package])
    adapter = sb3.load("trainer")
    adapter.algorithm_with(name, target.settings)  # a wrong word is a matter of use, not of the trainer
    return {"make_model": lambda environment: adapter.untrained(name, environment, target.settings)}


def _check_callable(parts: Mapping[str, Any], name: str, target: CaseTarget) -> Any:
    thing = parts.get(name)
    if thing is not None and not callable(thing):
        raise UsageError(f"{name} of {target.word} is a function, not {type(thing).__name__}.")
    return thing


def _check_config(config: object, target: CaseTarget) -> dict[str, Any]:
    if config is None:
        return {}
    if not isinstance(config, Mapping):
        raise UsageError(f"config of {target.word} is a dictionary of hyper-parameters, not {type(config).__name__}.")
    return {str(name): value for name, value in config.items()}


def _check_steps(steps: object, target: CaseTarget) -> int:
    if steps is None:
        return 0
    if not isinstance(steps, int | float) or isinstance(steps, bool) or not 1 <= steps < 2**53:
        raise UsageError(f"steps of {target.word} is the number of environment steps to watch, not {steps!r}.")
    return int(steps)


def _check_components(components: Any, target: CaseTarget) -> tuple[str, ...]:
    if components is None:
        return ()
    several = [components] if isinstance(components, str) else list(components)
    if not all(isinstance(each, str) for each in several):
        raise UsageError(f"components of {target.word} are info keys, not {components!r}.")
    return tuple(several)


def takes(function: Any, name: str) -> bool:
    """Whether a function takes an argument of this name, or any."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return name in parameters or any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values())
