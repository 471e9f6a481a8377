"""Labelled sets of samples: hacks of each kind in several styles, and honest controls."""
