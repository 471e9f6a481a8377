"""The states of random generators at the steps of an update, of which nothing is drawn."""

from __future__ import annotations

from weaklink.adapters.torch.fingerprints import digest_streams

MOST = 32
"""Steps of an update for which states are kept: some twenty microseconds each."""


class KeptDraws:
    """The states of all random generators when networks were first asked after so many steps of environments."""

    def __init__(self) -> None:
        self.states: dict[int, dict[str, str]] = {}

    def note(self, stamp: int) -> None:
        """Takes the states as they are after so many steps."""
        if len(self.states) < MOST and stamp not in self.states:
            self.states[stamp] = digest_streams()
