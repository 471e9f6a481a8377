"""Faults in exploration: entropy, action standard deviation, schedules."""
