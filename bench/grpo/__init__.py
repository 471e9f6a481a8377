"""A small GRPO by hand, right as it stands, and the faults that can be planted in it."""
