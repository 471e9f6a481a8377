"""Illnesses of the value estimate: critic, Q, what they learn towards."""
