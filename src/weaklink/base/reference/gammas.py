"""The logarithm of the gamma function and its first two slopes, of arrays of positive numbers.

Each number is raised by eight steps of the recurrence `gamma(x + 1) = x * gamma(x)`; from there on the first terms of
Stirling's series are exact to double precision (Abramowitz and Stegun, Handbook of mathematical functions, 6.1.41,
6.3.18 and 6.4.12).
"""

from __future__ import annotations

import numpy as np

from weaklink.base.reference.discounting import Array

RAISED = 8

BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
"""The second Bernoulli number and every other one after it."""

HALF_LOG_TWO_PI = 0.5 * float(np.log(2.0 * np.pi))


def log_gamma(numbers: Array) -> Array:
    """log(gamma(x))."""
    raised = numbers + RAISED
    series = sum(one / (2 * k * (2 * k - 1) * raised ** (2 * k - 1)) for k, one in enumerate(BERNOULLI, 1))
    whole = (raised - 0.5) * np.log(raised) - raised + HALF_LOG_TWO_PI + series
    return np.asarray(whole - sum(np.log(numbers + step) for step in range(RAISED)))


def digamma(numbers: Array) -> Array:
    """The slope of log(gamma(x))."""
    raised = numbers + RAISED
    series = sum(one / (2 * k * raised ** (2 * k)) for k, one in enumerate(BERNOULLI, 1))
    whole = np.log(raised) - 0.5 / raised - series
    return np.asarray(whole - sum(1.0 / (numbers + step) for step in range(RAISED)))


def trigamma(numbers: Array) -> Array:
    """The slope of that."""
    raised = numbers + RAISED
    series = sum(one / raised ** (2 * k + 1) for k, one in enumerate(BERNOULLI, 1))
    whole = 1.0 / raised + 0.5 / raised**2 + series
    return np.asarray(whole + sum(1.0 / (numbers + step) ** 2 for step in range(RAISED)))
