"""Faults in the optimizer: gradients, steps, learning rate, numerics."""
