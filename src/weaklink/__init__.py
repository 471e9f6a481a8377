"""weaklink finds which link of a reinforcement-learning training loop broke first.

    import weaklink

    diagnosis = weaklink.diagnose("runs/ppo_1")
    print(diagnosis.verdict, diagnosis.first_break)
    print(weaklink.preflight("CartPole-v1").shown.findings)
    print(weaklink.probe("sb3:PPO").diagnosis.verdict)

Names are loaded when they are first used, so importing the package costs next to nothing. The names in `__all__` are
public; whatever begins with an underscore is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weaklink._version import __version__
from weaklink.base.viewing import set_viewer

if TYPE_CHECKING:
    from weaklink._api.before import memory_estimate, preflight, probe
    from weaklink._api.logs import audit, compare, diagnose, evaluation
    from weaklink._api.projects import attach, confirm, debug, fit_critic, run
    from weaklink.adapters.gymnasium.shaping import PotentialShaping
    from weaklink.base.errors import WeaklinkError
    from weaklink.base.evidence.run import Run
    from weaklink.base.finding import Finding, Level
    from weaklink.base.loop import Link
    from weaklink.collect.monitor.guardrail import ppo_guardrail
    from weaklink.collect.readers import read
    from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
    from weaklink.verbs.alerts import check_alerts
    from weaklink.verbs.attach import Monitor
    from weaklink.verbs.audit import Audited
    from weaklink.verbs.compare import Compared
    from weaklink.verbs.confirm.experiment import Answer
    from weaklink.verbs.debug.case import Case
    from weaklink.verbs.memory import Estimate
    from weaklink.verbs.preflight import Preflight
    from weaklink.verbs.probe import Probed
    from weaklink.verbs.run.running import Ran

__all__ = [
    "Answer",
    "Audited",
    "Case",
    "Compared",
    "Diagnosis",
    "Estimate",
    "Finding",
    "Level",
    "Link",
    "Monitor",
    "PotentialShaping",
    "Preflight",
    "Probed",
    "Ran",
    "Run",
    "Verdict",
    "WeaklinkError",
    "__version__",
    "attach",
    "audit",
    "check_alerts",
    "compare",
    "confirm",
    "debug",
    "diagnose",
    "evaluation",
    "fit_critic",
    "memory_estimate",
    "ppo_guardrail",
    "preflight",
    "probe",
    "read",
    "run",
]

_HOMES = {
    "Answer": "weaklink.verbs.confirm.experiment",
    "Audited": "weaklink.verbs.audit",
    "Case": "weaklink.verbs.debug.case",
    "Compared": "weaklink.verbs.compare",
    "Diagnosis": "weaklink.judge.diagnosis.diagnosis",
    "Estimate": "weaklink.verbs.memory",
    "Finding": "weaklink.base.finding",
    "Level": "weaklink.base.finding",
    "Link": "weaklink.base.loop",
    "Monitor": "weaklink.verbs.attach",
    "PotentialShaping": "weaklink.adapters.gymnasium.shaping",
    "Preflight": "weaklink.verbs.preflight",
    "Probed": "weaklink.verbs.probe",
    "Ran": "weaklink.verbs.run.running",
    "Run": "weaklink.base.evidence.run",
    "Verdict": "weaklink.judge.diagnosis.diagnosis",
    "WeaklinkError": "weaklink.base.errors",
    "attach": "weaklink._api.projects",
    "audit": "weaklink._api.logs",
    "check_alerts": "weaklink.verbs.alerts",
    "compare": "weaklink._api.logs",
    "confirm": "weaklink._api.projects",
    "debug": "weaklink._api.projects",
    "diagnose": "weaklink._api.logs",
    "evaluation": "weaklink._api.logs",
    "fit_critic": "weaklink._api.projects",
    "memory_estimate": "weaklink._api.before",
    "ppo_guardrail": "weaklink.collect.monitor.guardrail",
    "preflight": "weaklink._api.before",
    "probe": "weaklink._api.before",
    "read": "weaklink.collect.readers",
    "run": "weaklink._api.projects",
}


def _view(result: object, format: str) -> str:
    """How a result looks where it is printed, and in a notebook."""
    from weaklink.show.rendering import view

    return view(result, format)


set_viewer(_view)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'weaklink' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
