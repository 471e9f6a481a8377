"""Illnesses of the policy update: its size, its direction, its trust region."""
