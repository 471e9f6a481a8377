"""weaklink finds which link of a reinforcement-learning training loop broke first.

    import weaklink

    diagnosis = weaklink.diagnose("runs/ppo_1")
    print(diagnosis.verdict, diagnosis.first_break)

Names are loaded when they are first used, so importing the package costs next to nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from weaklink._version import __version__

if TYPE_CHECKING:
    from weaklink.diagnosis.diagnosis import Diagnosis
    from weaklink.evidence.run import Run
    from weaklink.readers import read

__all__ = ["Diagnosis", "Run", "__version__", "diagnose", "read"]

_HOMES = {
    "Diagnosis": "weaklink.diagnosis.diagnosis",
    "Run": "weaklink.evidence.run",
    "read": "weaklink.readers",
}


def diagnose(
    run: Run | str | os.PathLike[str],
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    thresholds: Mapping[str, Mapping[str, Any]] | None = None,
) -> Diagnosis:
    """Judges one training run.

    Args:
        run: a run, or the path of a log or run folder of any known format.
        select: ask only these rules: codes, families such as `POL`, or names.
        ignore: do not ask these rules.
        thresholds: values that differ from the rules' defaults, such as `{"POL301": {"lasting": 0.4}}`.

    Returns:
        The diagnosis: verdict, first break, findings, and what could not be judged.
    """
    from weaklink.diagnosis.engine import diagnose as judge
    from weaklink.diagnosis.settings import Settings
    from weaklink.evidence.run import Run
    from weaklink.readers import read

    settings = Settings.of(tuple(select), tuple(ignore), thresholds)
    return judge(run if isinstance(run, Run) else read(os.fspath(run)), settings)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'weaklink' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
