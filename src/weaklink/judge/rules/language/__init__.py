"""Faults of language models trained by reinforcement; each rule names the link that it blames."""
