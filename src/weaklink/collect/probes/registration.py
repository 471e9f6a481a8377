"""Makes every probe known to Gymnasium, without loading any of them.

`weaklink.envs` calls this, and so does the first import of Gymnasium in a script that `weaklink probe --cmd` started
(`injection.py`). So this file imports nothing and has the titles again; a test holds them equal to the catalogue.
"""

from __future__ import annotations

from typing import Any

NAMESPACE = "weaklink"
FOLDER = "WEAKLINK_PROBE_RECORD"
"""The environment variable that names the folder into which environments of a script write what was done."""

MADE = ".made"
"""How the name of the file ends that says, in this folder, that an environment was made at all."""

READING = "WEAKLINK_PROBE_READING"
"""The environment variable that says how the updates of a script are read: its budget, and its discount where known."""

READ_TITLES = ("ReadUpdate", "ReadUpdateContinuous")
"""The environments in which updates are read."""

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


def register(_: object = None) -> None:
    """Registers those that are not yet known; called again it does nothing."""
    from importlib import import_module

    gymnasium: Any = import_module("gymnasium.envs.registration")
    for title in (*READ_TITLES, *TITLES):
        id = f"{NAMESPACE}/{title}-v0"
        if id not in gymnasium.registry:
            entry_point = "weaklink.collect.probes.registration:make_environment"
            gymnasium.register(id=id, entry_point=entry_point, kwargs={"title": title})


def make_environment(title: str, place: Any = None, render_mode: str | None = None, **_: object) -> Any:
    """One environment, which records itself where it is told a folder; `place` is the one that it takes."""
    from weaklink.adapters.gymnasium.probe import ProbeEnvironment
    from weaklink.collect.probes.catalogue import find_probe

    if title in READ_TITLES:
        from weaklink.adapters.gymnasium.read_world import ReadEnvironment

        return ReadEnvironment(**choose_reading(title), spaces=place and place[1])
    probe, spaces = place or (find_probe(title), None)
    return ProbeEnvironment(probe, make_recorder(title), spaces, render_mode)


def choose_reading(title: str) -> dict[str, Any]:
    """How an environment for reading is made in a script."""
    import os

    from weaklink.collect.probes.script_reading import begin_reading  # it has the whole monitor with it

    return begin_reading(title, os.environ.get(FOLDER), os.environ.get(READING, ""))


def make_recorder(title: str) -> Any:
    """Who takes the steps of an environment in a script: the folder that it was told, or a first look; or nobody."""
    import os

    from weaklink.collect.probes.first_look import LOOK, FirstStep
    from weaklink.collect.probes.recording import StepRecorder

    folder = os.environ.get(FOLDER)
    if os.environ.get(LOOK):
        return FirstStep()
    if not folder:
        return None
    try:
        with open(os.path.join(folder, title + MADE), "ab"):
            pass
    except OSError:  # the recording is lost, the training is not
        return None
    return StepRecorder(folder)
