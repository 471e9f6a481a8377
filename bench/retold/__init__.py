"""Ways to tell the same samples otherwise, each of which leaves the fault where it is."""
