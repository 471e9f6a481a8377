"""Illnesses of exploration: entropy, action spread, schedules."""
