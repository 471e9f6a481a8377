"""The probes made known to Gymnasium in one child process, without a change to the script that it runs."""

from __future__ import annotations

from collections.abc import Mapping

from weaklink.base.outside.injection import inject_calls

CALLS = {"gymnasium": "weaklink.collect.probes.registration:register"}


def inject_registration(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment variables of a child in which `gymnasium.make("weaklink/...")` works once Gymnasium is imported.

    Args:
        environment: the variables that the child would have; they are left as they are.
    """
    return inject_calls(environment, CALLS)
