"""Faults of the environment: reset, step, ends of episodes, seeds, physics, and crashes."""
