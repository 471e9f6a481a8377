"""Faults of the reward: its signal, its scale, its components, its loopholes."""
