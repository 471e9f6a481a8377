"""The tools of weaklink for coding agents, by the Model Context Protocol; loaded by `weaklink mcp` alone."""
