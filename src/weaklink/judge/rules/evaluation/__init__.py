"""Illnesses of the evaluation: protocol, seeds, what is compared with what."""
