"""Faults of the task: its horizon, its difficulty, its goal, and its need for exploration."""
