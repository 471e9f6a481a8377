"""Illnesses of the environment: reset, step, ends of episodes, seeds, physics, and how it fails."""
