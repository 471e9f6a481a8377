"""The server: tools and resources by their names, over standard input and output."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

from weaklink._version import __version__
from weaklink.cli.mcp_server import before, pages, projects, watching

INSTRUCTIONS = (
    "weaklink answers which link of a reinforcement-learning training loop broke first. Where there is code, begin with"
    " debug; with a log, diagnose; for TRL, attack the reward function by audit(verifier=...) before anything is"
    " trained. Mend first_break alone, ask again, and prove a finding by confirm before you claim it. blind is not"
    " clean, and healthy needs all stages. Read the resource weaklink://skill once."
)

READS = ToolAnnotations(readOnlyHint=True, openWorldHint=False)
RUNS = ToolAnnotations(readOnlyHint=False, destructiveHint=False, idempotentHint=True, openWorldHint=False)
"""Of tools that run the user's own code, in processes of its own, and may leave the folder of a case."""

TOOLS = {
    projects.debug: RUNS,
    projects.diagnose: READS,
    watching.watch: READS,
    before.preflight: RUNS,
    before.probe: RUNS,
    projects.confirm: RUNS,
    before.audit: RUNS,
    pages.explain: READS,
}

MARKDOWN = "text/markdown"


def make_server() -> MCPServer[None]:
    """A server with every tool and resource; nothing of a framework is loaded for it."""
    server: MCPServer[None] = MCPServer(
        "weaklink", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING", subscriptions=False
    )
    for tool, kind in TOOLS.items():
        server.add_tool(tool, annotations=kind)
    server.resource("weaklink://rules", name="rules", mime_type=MARKDOWN)(pages.list_rules)
    server.resource("weaklink://skill", name="skill", mime_type=MARKDOWN)(pages.read_skill)
    server.resource("weaklink://pages/{name}", name="page", mime_type=MARKDOWN)(pages.read_page)
    return server


def serve() -> None:
    """Answers one client until it closes standard input."""
    make_server().run("stdio")
