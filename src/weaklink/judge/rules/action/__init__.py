"""Faults of the action: what the agent can do, how strongly, and what is ignored."""
