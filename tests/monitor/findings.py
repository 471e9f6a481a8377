"""A finding as a rule and the registry would make it."""

from __future__ import annotations

import math

from weaklink.base.finding import Evidence, Finding, Level
from weaklink.base.loop import Link


def finding(code: str = "POL303", level: Level = Level.WARN, message: str = "KL 0.31 is over 0.05.") -> Finding:
    return Finding(
        message=message,
        onset=12288.0,
        evidence=(Evidence(metric="policy.kl", value=math.nan, limit=0.05, step=12288.0),),
        level=level,
        link=Link.POLICY,
        code=code,
        name="kl-spike",
    )
