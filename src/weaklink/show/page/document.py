"""Pages put together to one document."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from weaklink._version import __version__
from weaklink.show.page.blocks import Axis, Document, Page, Section

SCHEMA = 1


def document(
    pages: Sequence[Page],
    *,
    title: str = "",
    together: Sequence[Section] = (),
    axes: Mapping[str, Axis] | None = None,
    live: bool = False,
) -> Document:
    """All that a file or a live page shows.

    Args:
        pages: one a run, environment, trainer or case.
        title: by itself that of the only page.
        together: what is said of several pages at once.
        axes: those of the charts in `together`.
        live: whether more is to come.
    """
    return Document(
        weaklink=__version__,
        schema=SCHEMA,
        made=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        title=title or (pages[0].title if len(pages) == 1 else f"{len(pages)} runs"),
        pages=tuple(pages),
        together=tuple(together),
        axes=dict(axes or {}),
        live=live,
    )
