"""From a reward function to a VerifierCheck: what it pays for answers that deserve nothing, and for right ones."""

from weaklink.collect.samples.verifier.examining import examine

__all__ = ["examine"]
