"""What a framework is to weaklink, in one record; each stands in the `__init__` of its folder and is found there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module, util
from pathlib import Path
from types import ModuleType

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.outside.loading import collect_rarely


class Framework(msgspec.Struct, frozen=True, kw_only=True):
    """One framework: what it is called, what it is installed as, and which modules of its folder know what of it.

    Args:
        name: of its folder, and of its dialect.
        title: as people write it.
        tie: its place where a log could be written by several frameworks: the more peculiar the names of its metrics,
            the lower. 0 for a framework whose logs have no names of their own (no `dialect.py`).
        packages: whose classes belong to it.
        extra: of weaklink, that installs it.
        environments: the module and name of a class, and the module of the folder that adapts whatever inherits from it
            (`environment(thing)`).
        model: the module that examines a model before training (`examined(model, observations, ...)`).
        trainers: for each prefix of a trainer on the command line (`sb3:PPO`) the package that it needs; the module
            `trainer` of the folder makes it (`trainer(name, settings)`).
        watches: whether trainings can be watched, by the module `watch` of the folder (`watch(trainer, watcher)`);
            where that has a function `watches(trainer)`, only those trainers.
        marks: keys of which any one tells its logs for certain.
        begins: the module, class and method of its own through which every training begins, called on the trainer, so
            that a script is watched which was not written for it.
    """

    name: str
    title: str
    tie: int = 0
    packages: tuple[str, ...] = ()
    extra: str = ""
    environments: tuple[tuple[str, str, str], ...] = ()
    model: str = ""
    trainers: Mapping[str, str] = {}
    watches: bool = False
    marks: tuple[str, ...] = ()
    begins: tuple[tuple[str, str, str], ...] = ()

    def can_watch(self, trainer: object) -> bool:
        """Whether the training of this trainer, which is one of its own, can be watched."""
        if not self.watches:
            return False
        asks = getattr(self.load("watch"), "watches", None)
        return asks is None or bool(asks(trainer))

    def load(self, module: str) -> ModuleType:
        """A module of its folder, which may import the framework."""
        with collect_rarely():
            return import_module(f"weaklink.adapters.{self.name}.{module}")

    def require(self, what: str, package: str = "") -> None:
        """Checks that it is installed.

        Raises:
            UsageError: it is not; the message says that `what` needs it, and how to install it.
        """
        package = package or self.packages[0]
        if util.find_spec(package) is None:
            raise UsageError(f"{what} needs {package}: pip install 'weaklink[{self.extra}]'.")


@cache
def list_frameworks() -> tuple[Framework, ...]:
    """Every framework, in the order in which a tie between their logs is settled."""
    folders = sorted(file.parent.name for file in Path(__file__).parent.glob("*/__init__.py"))
    modules = [import_module(f"weaklink.adapters.{folder}") for folder in folders]
    found: list[Framework] = [module.FRAMEWORK for module in modules if hasattr(module, "FRAMEWORK")]
    return tuple(sorted(found, key=lambda known: known.tie))


def find_framework(name: str) -> Framework:
    """The framework of this name."""
    return next(known for known in list_frameworks() if known.name == name)


def recognise_framework(thing: object) -> Framework | None:
    """The framework that the class of a thing, or one of its ancestors, comes from."""
    packages = [ancestor.__module__.partition(".")[0] for ancestor in type(thing).__mro__]
    return next((known for package in packages for known in list_frameworks() if package in known.packages), None)
