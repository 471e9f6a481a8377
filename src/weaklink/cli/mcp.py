"""`weaklink mcp`: the tools of weaklink for a coding agent, over standard input and output."""

from __future__ import annotations


def mcp() -> None:
    """Gives a coding agent the tools of weaklink by the Model Context Protocol.

    It speaks on standard input and output alone and opens no port. It is started by the agent: see docs/mcp.md.
    """
    import os
    import threading
    from importlib.util import find_spec

    from weaklink.base.errors import UsageError

    if find_spec("mcp") is None:
        raise UsageError("weaklink mcp needs the package mcp, which is not installed: pip install 'weaklink[mcp]'.")
    from weaklink.cli.mcp_server.server import serve

    serve()
    if any(one is not threading.current_thread() and not one.daemon for one in threading.enumerate()):
        # work that the client gave up: its processes end with this one, and nobody waits for its answer
        os._exit(0)
