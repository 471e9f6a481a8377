"""Torch itself, for every trainer that is built on it."""
