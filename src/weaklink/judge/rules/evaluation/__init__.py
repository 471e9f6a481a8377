"""Faults of the evaluation: protocol, seeds, and what is compared with what."""
