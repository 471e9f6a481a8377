"""The gamma function and its slopes, compared with SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from weaklink.base.reference.gammas import digamma, log_gamma, trigamma

NUMBERS = np.geomspace(1e-6, 1e5, 400)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(log_gamma, special.gammaln), (digamma, special.digamma), (trigamma, lambda x: special.polygamma(1, x))],
)
def test_as_exact_as_a_library(ours, theirs):
    assert np.allclose(ours(NUMBERS), theirs(NUMBERS), rtol=1e-12, atol=1e-13)
