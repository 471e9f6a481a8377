"""Faults of agents that call tools; each rule names the link that it blames."""
