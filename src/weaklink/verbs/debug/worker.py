"""The process in which a target is loaded, looked at or trained: one that crashes or hangs takes only this down.

It is told what to do once, and says how far it is and what came of it.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import UsageError, WeaklinkError
from weaklink.base.outside.messages import ParentChannel
from weaklink.base.outside.own_code import describe_error, is_own, locate
from weaklink.verbs.attach import find_framework
from weaklink.verbs.debug.request import LOOK, CaseRequest, ModelLook, TargetLook, WorkerMessage
from weaklink.verbs.debug.target import PARTS, CaseTarget, LoadedTarget, load_target, takes

UNUSABLE = 2
MOST_SOURCES = 200


def main() -> int:
    """Carries out what it is asked for."""
    parent = ParentChannel(quiet=False)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background has it ignored
    request = parent.hear(CaseRequest)
    try:
        thing = load_safely(request.target)
    except WeaklinkError as error:
        parent.say(WorkerMessage(unusable=str(error)))
        return UNUSABLE
    if request.kind == LOOK:
        parent.say(WorkerMessage(look=_look_at_target(thing, request.target)))
        if thing.make_model is not None:
            parent.say(WorkerMessage(model=_look_at_model(thing)))
        return 0
    from weaklink.verbs.debug.watched import train_watched

    train_watched(thing, request, parent.say)
    return 0


def load_safely(target: CaseTarget) -> LoadedTarget:
    """The target; whatever its own code raises makes it unusable, told with the place."""
    try:
        return load_target(target)
    except WeaklinkError as error:
        if error.__cause__ is not None:
            traceback.print_exception(error.__cause__)
        raise
    except SystemExit as error:
        raise UsageError(
            f"Loading {target.word} ended the whole process: it called sys.exit({error.code!r})."
        ) from None
    except BaseException as error:
        traceback.print_exc()
        raise UsageError(
            f"Loading {target.word or target.name} failed: {describe_error(error)}{locate(error)}."
        ) from None


def _look_at_target(thing: LoadedTarget, target: CaseTarget) -> TargetLook:
    return TargetLook(
        parts=tuple(name for name in PARTS if getattr(thing, name) and (name != "make_env" or thing.has_environment)),
        config=_make_plain(thing.config),
        steps=thing.steps,
        components=thing.components,
        goal_metric=thing.goal_metric,
        takes_monitor=thing.train is not None and takes(thing.train, "monitor"),
        sources=_hash_sources(),
    )


def _hash_sources() -> dict[str, str]:
    """The user's own files that were loaded, each with a digest."""
    files = {str(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())}
    own = sorted(file for file in files if file.endswith(".py") and is_own(file))
    return {file: compute_digest(Path(file)) for file in own[:MOST_SOURCES]}


def compute_digest(file: Path) -> str:
    """What tells whether a file has changed; empty where it cannot be read."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def _look_at_model(thing: LoadedTarget) -> ModelLook:
    """What `make_model` makes; what it raises is told, for the stage that trains it."""
    try:
        model = thing.model()
        framework = find_framework(model).name
        if framework != "sb3":
            kind = type(model)
            own = () if kind.__module__.partition(".")[0] == framework else (kind.__name__,)
            return ModelLook(
                framework=framework, algorithm=kind.__name__, own=own, rewards=_find_rewards(framework, model)
            )
        attached = import_module("weaklink.adapters.sb3.attached")
        return ModelLook(
            framework=framework,
            algorithm=attached.algorithm_of(model),
            own=import_module("weaklink.adapters.sb3.own_class").list_own_parts(model),
            settings=_make_plain(import_module("weaklink.adapters.sb3.watch_settings").read_settings(model)),
        )
    except BaseException as error:
        traceback.print_exc()
        return ModelLook(fault=describe_error(error))


def _find_rewards(framework: str, model: Any) -> tuple[str, ...]:
    """The reward functions of a trainer of language models, by the words that find them again."""
    if framework != "trl":
        return ()
    rewards = import_module("weaklink.adapters.trl.rewards")
    return tuple(rewards.find_word(each) for each in rewards.list_reward_functions(model))


def _make_plain(values: dict[str, Any]) -> dict[str, Any]:
    """Values that JSON can hold; others as text."""
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(values, enc_hook=str))
    return decoded


if __name__ == "__main__":
    os._exit(main())  # whatever threads the target left behind do not hold us up
