"""Makes every probe known to Gymnasium, without loading any of them.

Gymnasium before 1.0 calls `register` by its entry point; for later ones, which read none, weaklink installs a small
import hook that calls it when Gymnasium is imported. Either happens in every program that uses Gymnasium, so this file
imports nothing and keeps the titles of its own; a test holds them equal to the catalogue.
"""

from __future__ import annotations

from typing import Any

NAMESPACE = "weaklink"
FOLDER = "WEAKLINK_PROBE_RECORD"
"""The environment variable that names the folder into which environments of a script write what was done."""

MADE = ".made"
"""How the name of the file ends that says, in this folder, that an environment was made at all."""

TITLES = (
    "ConstantReward",
    "ConstantRewardContinuous",
    "ObservedReward",
    "ObservedRewardContinuous",
    "DelayedReward",
    "DelayedRewardContinuous",
    "TwoActions",
    "TwoActionsContinuous",
    "MatchingAction",
    "MatchingActionContinuous",
    "TimeLimit",
    "TimeLimitContinuous",
    "LastObservation",
    "LastObservationContinuous",
    "Terminal",
    "TerminalContinuous",
    "VectorPairing",
    "VectorPairingContinuous",
    "ShiftedPairing",
    "ShiftedPairingContinuous",
    "ContinuousTarget",
    "WideAction",
    "VeryWideAction",
    "Memory",
    "MemoryReset",
    "Exploration",
    "LongCredit",
    "LongCreditContinuous",
    "LargeRewards",
    "LargeRewardsContinuous",
    "SmallRewards",
    "SmallRewardsContinuous",
    "QValues",
    "QValuesContinuous",
    "EntropyTemperature",
    "MatchingActionImage",
    "MatchingActionDict",
    "MatchingActionImageContinuous",
    "MatchingActionDictContinuous",
    "MatchingActionMultiDiscrete",
    "MatchingActionMasked",
)


def register() -> None:
    """Registers those that are not yet known; called again it does nothing."""
    import sys

    # only ever called while or after Gymnasium is imported, and importing it here would load it where nobody asked
    registration: Any = sys.modules["gymnasium.envs.registration"]
    inside = registration.current_namespace == NAMESPACE  # Gymnasium before 1.0 sets it while it calls an entry point
    for title in TITLES:
        if f"{NAMESPACE}/{title}-v0" not in registration.registry:
            registration.register(
                id=f"{title}-v0" if inside else f"{NAMESPACE}/{title}-v0",
                entry_point="weaklink.collect.probes.registration:made",
                kwargs={"title": title},
            )


def made(title: str, **_: object) -> Any:
    """One environment, which records itself where it is told a folder."""
    import os

    from weaklink.adapters.gymnasium.probe import ProbeEnvironment
    from weaklink.collect.probes.catalogue import probe_called
    from weaklink.collect.probes.recording import Recorder

    folder = os.environ.get(FOLDER)
    if not folder:
        return ProbeEnvironment(probe_called(title))
    try:
        with open(os.path.join(folder, title + MADE), "ab"):
            pass
    except OSError:  # the recording is lost, the training is not
        return ProbeEnvironment(probe_called(title))
    return ProbeEnvironment(probe_called(title), Recorder(folder))
