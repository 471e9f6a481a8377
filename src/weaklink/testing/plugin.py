"""A pytest plugin: `pytest --weaklink-trainer module:train` adds the ladder of probes to whatever else is tested.

It is loaded with every pytest run of an environment that has weaklink, so it imports nothing before it is asked to.
"""

from __future__ import annotations

from typing import Any

import pytest

MARKER = "weaklink_probe"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("weaklink", "probe a trainer (weaklink)")
    group.addoption("--weaklink-trainer", default="", metavar="TRAINER", help="module:train, file.py:train or sb3:PPO")
    group.addoption("--weaklink-only", action="append", default=[], metavar="RUNG", help="only this rung; repeatable")
    group.addoption("--weaklink-seeds", type=int, default=2, metavar="N", help="trainings of each rung (2)")
    group.addoption("--weaklink-steps", type=int, default=0, metavar="N", help="steps on the easiest rung")
    group.addoption("--weaklink-actions", default="auto", metavar="KIND", help="discrete, continuous, both or auto")


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known."""
    config.addinivalue_line("markers", f"{MARKER}: trains on a probe environment with a known answer (weaklink)")


@pytest.hookimpl(tryfirst=True)  # before items are chosen by -m and -k
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks the tests that are probes, and adds those of the trainer that was named."""
    for item in items:
        given = getattr(item, "callspec", None)
        if given is not None and any(getattr(value, MARKER, False) is True for value in given.params.values()):
            item.add_marker(MARKER)
    if config.getoption("--weaklink-trainer"):
        items.extend(_collect_probes(session, config))


def _collect_probes(session: pytest.Session, config: pytest.Config) -> list[pytest.Item]:
    from weaklink.base.errors import WeaklinkError
    from weaklink.collect.probes.plan import ProbePlan
    from weaklink.testing.ladder import checks_for

    plan = ProbePlan(
        seeds=config.getoption("--weaklink-seeds"),
        steps=config.getoption("--weaklink-steps"),
        actions=config.getoption("--weaklink-actions"),
        only=tuple(config.getoption("--weaklink-only")),
    )
    try:
        checks = checks_for(config.getoption("--weaklink-trainer"), plan)
    except WeaklinkError as error:
        raise pytest.UsageError(str(error)) from None
    return [
        ProbeItem.from_parent(session, name=check.title, nodeid=f"weaklink::{check.title}", check=check)
        for check in checks
    ]


class ProbeItem(pytest.Item):
    """One rung that stands in no file."""

    def __init__(self, *, check: Any, **fields: Any) -> None:
        super().__init__(**fields)
        self._check = check
        self.add_marker(MARKER)

    def runtest(self) -> None:
        """Climbs it."""
        self._check()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What the check says; where something else went wrong, all of it."""
        if excinfo.errisinstance(AssertionError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where it stands in the report."""
        return "weaklink", None, f"weaklink {self.name}"
