"""Every rung for language models, in the order of the ladder."""

from __future__ import annotations

from weaklink.collect.probes.language.lessons import EndingToken, PromptToken, ReferenceHold, RewardedToken, TokenDrift
from weaklink.collect.probes.language.looks import (
    FreshRatio,
    GroupAdvantage,
    LengthWeight,
    SamplingTemperature,
    ScoredToken,
    TokenMask,
    ToolMask,
)
from weaklink.collect.probes.language.problem import LanguageProbe

LANGUAGE_PROBES: tuple[LanguageProbe, ...] = (
    TokenDrift(),
    ScoredToken(),
    TokenMask(),
    ToolMask(),
    SamplingTemperature(),
    GroupAdvantage(),
    FreshRatio(),
    EndingToken(),
    RewardedToken(),
    PromptToken(),
    ReferenceHold(),
    LengthWeight(),
)
