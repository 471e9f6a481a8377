"""The files that `weaklink debug` leaves in the folder of a case."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from weaklink.base.errors import WeaklinkError

if TYPE_CHECKING:
    from weaklink.verbs.debug.case import Case
    from weaklink.verbs.debug.minimal.evidence import Minimal

MINIMAL_PAGE = "minimal.html"


def keep_case(case: Case) -> tuple[str, ...]:
    """Writes the page and the text of a case into its folder; what to say of them."""
    from weaklink.show.rendering import render
    from weaklink.verbs.debug.folder import PAGE, TEXT

    (case.folder / TEXT).write_text(render(case, "markdown"), encoding="utf-8", errors="replace")
    return _keep_page(case, case.folder / PAGE)


def keep_minimal(result: Minimal, place: Path) -> tuple[str, ...]:
    """Writes the page of the emergency procedure into the folder of its case; what to say of it."""
    return _keep_page(result, place / MINIMAL_PAGE)


def _keep_page(result: Case | Minimal, file: Path) -> tuple[str, ...]:
    from weaklink.show.rendering import render

    try:
        file.write_text(render(result, "html"), encoding="utf-8", errors="replace")
    except WeaklinkError as error:
        return (f"No page was made: {error}",)
    return (f"The page: {os.path.relpath(file)}",)
