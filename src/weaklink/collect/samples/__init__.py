"""Completions and trajectories: gathered into evidence, looked at, audited."""
