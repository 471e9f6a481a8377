"""`weaklink.debug`, as it is called from Python."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from weaklink.judge.diagnosis.settings import Settings
from weaklink.verbs.debug.case import Case
from weaklink.verbs.debug.debugging import debug as walk
from weaklink.verbs.debug.options import optioned
from weaklink.verbs.debug.target import target_of


def debug(
    target: str = "",
    *,
    algorithm: str = "",
    environment: str = "",
    settings: Mapping[str, Any] | None = None,
    folder: str | os.PathLike[str] | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
    **options: Any,
) -> Case:
    """Walks a project through the whole procedure: preflight, probe, a watched training, diagnosis, reward and task.

    Args:
        target: `file.py`, `module` or `module:name` with `make_env()` and beside it `make_model(env)` or
            `train(make_env, steps, seed)`, or with `make_model()` alone for a language model; it runs in processes of
            its own.
        algorithm: such as `sb3:PPO`, instead of what the target trains with.
        environment: a Gymnasium id, instead of the target's `make_env`.
        settings: hyper-parameters of the algorithm.
        folder: where the case is kept; `weaklink-case/NAME` where it is left out.
        select: ask only these rules: codes, families such as `POL`, or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults.
        options: fields of `weaklink.verbs.debug.options.DebugOptions`: `seconds`, `steps`, `seed`, `skip`, ...

    Returns:
        The case: verdict, first break, what each stage came to, the checklists and the next experiment.
    """
    given = [f"{name}={value}" for name, value in (settings or {}).items()]
    wanted = target_of(target, algorithm=algorithm, environment=environment, settings=given)
    asked = Settings.of(tuple(select), tuple(ignore), thresholds)
    return walk(wanted, optioned(options, asked), folder=folder)
