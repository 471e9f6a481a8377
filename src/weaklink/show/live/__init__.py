"""The page while runs grow: a small server on this machine that sends every change to the browsers that look.

    monitor/following ── events, runs ──▶ Showing ── pages, alerts ──▶ Board ──▶ stream ──▶ browsers

`Showing` works in the thread that follows the runs. The board holds what is to be seen now and nothing older, and the
server in its own thread only reads it; so neither a slow browser nor many of them can hold the watching up.
"""

from __future__ import annotations

from weaklink.base.errors import UsageError


def check_installed() -> None:
    """Makes sure that what the server is made of is there.

    Raises:
        UsageError: the extra `live` is not installed.
    """
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise UsageError(f"--serve needs {error.name}, which is not installed: pip install 'weaklink[live]'") from None
