from __future__ import annotations

import msgspec
import numpy as np

from tests.worlds import changed, held, world


def survey(relabel, **given):
    play = held(
        {"place": lambda rng, step, before: rng.normal(0, 1, 2)},
        lambda now, *rest: now["place"],
        pay=lambda before, after: -float(np.linalg.norm(after["place"]) > 1.0),
        **given,
    )
    answers = None if relabel is None else relabel(play.rewards)
    return changed(world(), held=msgspec.structs.replace(play, relabelled=answers))


def sick():
    return [survey(lambda paid: -1.0 - paid), survey(lambda paid: 10.0 * paid), survey(lambda paid: paid * np.nan)]


def healthy():
    return [
        survey(lambda paid: paid.astype(np.float32)),
        survey(None),
        survey(lambda paid: -1.0 - paid, episodes=2),
        # the end of an episode is paid on top
        survey(lambda paid: np.where(np.arange(len(paid)) % 60 == 59, paid + 10.0, paid)),
    ]
