"""Runs followed while they grow: read on from where the last look ended, judged again, and what is new is told."""
