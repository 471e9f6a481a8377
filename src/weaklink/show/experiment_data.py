"""An experiment as data: the JSON contract, with every number that is shown."""

from __future__ import annotations

from typing import Any

import msgspec

from weaklink.base.evidence.critic import CriticFit
from weaklink.show import experiment_wording as told
from weaklink.show.data import encoded, envelope
from weaklink.verbs.confirm.experiment import Answer


def line(answer: Answer) -> str:
    """An answer as one line of JSON, what it promises first."""
    body: dict[str, Any] = msgspec.to_builtins(answer)
    experiment = body.pop("experiment")
    first = {
        "target": body.pop("target"),
        "code": answer.experiment.code,
        "name": answer.experiment.name,
        "verdict": body.pop("verdict"),
        "says": body.pop("says"),
        "means": body.pop("means"),
        "decides": body.pop("decides"),
    }
    return encoded({**envelope("confirm"), **first, "experiment": experiment, **body})


def fit_line(fit: CriticFit, name: str) -> str:
    """The fit of a critic as one line of JSON."""
    cannot, word, says, means = told.fit_answer(fit)
    answer = {"target": name, "verdict": word, "cannot_fit": cannot, "says": says, "means": means}
    explained = {"after": fit.after, "reachable": fit.reachable}
    return encoded({**envelope("fit-critic"), **answer, **explained, **msgspec.to_builtins(fit)})
