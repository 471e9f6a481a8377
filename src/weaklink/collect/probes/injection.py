"""The probes made known to Gymnasium in one child process, without a change to the script that it runs."""

from __future__ import annotations

from collections.abc import Mapping

from weaklink.base.outside.injection import inject_calls

CALLS = {"gymnasium": "weaklink.collect.probes.registration:register"}
IN_PLACE = {
    "gymnasium": "weaklink.collect.probes.stand_in:prepare_gymnasium",
    "gym": "weaklink.collect.probes.stand_in:prepare_old_gym",
    "torch.utils.tensorboard": "weaklink.collect.probes.stand_in:close_writers",
    "tensorboardX": "weaklink.collect.probes.stand_in:close_writers",
}


def inject_registration(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment variables of a child in which `gymnasium.make("weaklink/...")` works once Gymnasium is imported.

    Args:
        environment: the variables that the child would have; they are left as they are.
    """
    return inject_calls(environment, CALLS)


def inject_stand_in(environment: Mapping[str, str]) -> dict[str, str]:
    """The same for a script whose environments are replaced, whatever name it makes them by (`stand_in.py`)."""
    return inject_calls(environment, IN_PLACE)
