"""The parameters that several tools share, each with what it means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

Words = Sequence[str]
Select = Annotated[Words, Field(description="Ask only these rules: codes, families such as POL, or names.")]
Ignore = Annotated[Words, Field(description="Do not ask these rules.")]
Thresholds = Annotated[Words, Field(description="Changed thresholds, each such as POL301.lasting=0.4.")]
Seed = Annotated[int, Field(description="The seed of every random choice.", ge=0)]
Algorithm = Annotated[str, Field(description="Train with this, such as sb3:PPO, instead of what the target has.")]
Environment = Annotated[str, Field(description="A Gymnasium id, instead of the target's make_env.")]
Settings = Annotated[Words, Field(description="Hyper-parameters of the algorithm, each NAME=VALUE.")]
Everything = Annotated[bool, Field(description="Go on after the first break, and show every finding.")]
Target = Annotated[
    str,
    Field(
        description="file.py, module or module:name that has make_env() and beside it make_model(env) or "
        "train(make_env, steps, seed), or make_model() alone for a language model."
    ),
]
