"""Illnesses of the optimizer: gradients, steps, learning rate, numerics."""
