"""Names that say that something is a cost, whoever uses them: an info, an attribute, a variable."""

from __future__ import annotations

import re

COST = re.compile(
    r"(^|_)(fee|cost|penalty|fine|toll|violation|collision|crash|bump|accident)(s|es|ies)?$", re.IGNORECASE
)
"""What is called so is never wanted; a cost that was saved, or that of another step, is something else."""

OTHERWISE = re.compile(
    r"(^|_)(sav|avoid|prevent|without|(old|last|best|base)(_|$)|previous|limit|budget|opponent|baseline)", re.IGNORECASE
)
