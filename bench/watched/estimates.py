"""Advantages as they should be, and with one mistake in them."""

from __future__ import annotations

import numpy as np

NAMES = {
    "E01/recursion": "done ignored",
    "G01": "time not reversed",
    "G02": "gamma ignored",
    "G04": "carried across an episode's end",
    "G10": "normalised over the wrong axis",
    "V02": "bootstrap from s",
    "V10": "mask inverted",
}
"""Faults of this file, and how they should be named."""


def advantages(rewards, values, following, terminated, ended, gamma, lam, fault=""):
    """Generalised advantages of (T, N) arrays; `following` is the value of the observation after each step."""
    if fault == "E02":
        terminated = ended
    if fault == "G02":
        gamma = 1.0
    if fault == "V02":
        following = values
    goes_on, carries = ~terminated, ~ended
    if fault == "E01/recursion":
        goes_on = carries = np.ones_like(ended)
    if fault == "V10":
        goes_on, carries = terminated, ended
    if fault == "G04":
        carries = np.ones_like(ended)
    errors = rewards + gamma * following * goes_on - values
    order = range(len(rewards)) if fault == "G01" else reversed(range(len(rewards)))
    found, ahead = np.zeros_like(values), np.zeros_like(values[0])
    for step in order:
        found[step] = ahead = errors[step] + gamma * lam * carries[step] * ahead
    if fault == "G10":
        found = (found - found.mean(axis=0)) / (found.std(axis=0) + 1e-8)
    return found
