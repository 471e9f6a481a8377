"""A training script run unchanged under the monitor: the command that starts it, and what happens inside of it."""
