"""Experiment trackers: numbers and alerts handed on."""
