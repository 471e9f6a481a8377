"""Results that show themselves: in a notebook as HTML, where they are printed as the report of a terminal.

How a result looks is known further down the house: the package tells this file whom to ask when it is imported.
"""

from __future__ import annotations

from collections.abc import Callable

Viewer = Callable[[object, str], str]
"""From a result and `notebook` or `terminal` to its text."""

_viewers: list[Viewer] = []


def set_viewer(viewer: Viewer) -> None:
    """Says who knows how results look."""
    _viewers[:] = [viewer]


class ViewedResult:
    """A result that shows itself."""

    __slots__ = ()

    def __str__(self) -> str:
        return _viewers[0](self, "terminal") if _viewers else repr(self)

    def _repr_html_(self) -> str:
        """The report for a notebook: Jupyter and its kin ask for it by this name."""
        return _viewers[0](self, "notebook") if _viewers else ""
