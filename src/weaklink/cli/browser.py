"""Opens a page in the browser of whoever sits before the screen."""

from __future__ import annotations

import os
import sys


def open_in_browser(address: str) -> bool:
    """Whether a browser was opened, never one that would take the terminal."""
    import webbrowser

    has_screen = (
        os.name == "nt" or sys.platform == "darwin" or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    )
    return (has_screen or "BROWSER" in os.environ) and webbrowser.open(address)
