from __future__ import annotations

from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@rule("OBS106", link=Link.OBSERVATION, level=Level.INFO, on=Survey, needs=("observation",))
def too_wide(survey: Survey, *, widest: int = 1000) -> Answer:
    """The observation has more than a thousand numbers besides images.

    ## What it sees
    The width of the flattened observation without images. A category counts once per value, because networks get it
    one-hot.

    ## Why it is bad
    Every number without information adds weights to the first layer and noise to the gradient, so more samples are
    needed. The replay buffer grows in proportion.

    ## What to do
    1. Leave out what a good player would not look at.
    2. Match the network to the data: convolutions for grids and scans, an embedding for a large category, attention or
       pooling for lists of objects.
    3. Compare with a small hand-made observation before training long on the wide one.

    ## How to prove it
    Train briefly on the wide observation and on a handful of its columns: if the handful learns faster, the width is
    the problem.

    ## When it is wrong
    Large networks and large budgets handle wide observations well; that is why this is info only.

    ## References
    Practice; Stable-Baselines3, tips for custom environments.
    """
    space = survey.observation
    if space is None or not (space.size or space.images):
        return CannotTell(("observation",), "the observation space cannot be flattened")
    width = _count_inputs(space)
    if width <= widest:
        return None
    images = f" besides {len(space.images)} image{'s' if len(space.images) > 1 else ''}" if space.images else ""
    return Finding(
        message=f"The observation has {width:,} numbers (limit {widest:,}){images}.",
        confidence=HIGH,
        evidence=(Evidence(metric="observation.width", value=float(width), limit=float(widest)),),
    )


def _count_inputs(space: Space) -> int:
    """Counts the inputs of a network: categories one-hot, images not at all."""
    if space.parts:
        return sum(_count_inputs(part) for part in space.parts.values())
    if space.is_image:
        return 0
    return sum(space.choices) if space.choices else space.size
