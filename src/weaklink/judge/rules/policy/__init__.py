"""Faults in the policy update: its size, its direction, its trust region."""
