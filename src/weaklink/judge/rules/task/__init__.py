"""Illnesses of the task: horizon, difficulty, need for exploration."""
