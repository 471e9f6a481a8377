"""weaklink finds which link of a reinforcement-learning training loop broke first."""

from __future__ import annotations

from weaklink._version import __version__

__all__ = ["__version__"]
