"""Faults of the observation: what the agent sees, and what it cannot see."""
