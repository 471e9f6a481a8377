"""Gymnasium: environments, vector environments, and the environments of the probes."""
