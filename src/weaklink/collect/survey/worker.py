"""The process in which an environment is surveyed, so that one that crashes or hangs takes only this down.

It is told what to survey, says what it is doing, and sends each part of the survey as soon as it is found.
"""

from __future__ import annotations

import contextlib
import faulthandler
import inspect
import os
from importlib import import_module
from typing import Any

import msgspec

from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.packing import pack_part
from weaklink.base.outside.messages import ParentChannel
from weaklink.base.outside.named import load_named
from weaklink.collect.survey.masks import refuses_invalid
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.sampler import make_random_policy, play
from weaklink.collect.survey.session import SurveySession
from weaklink.collect.survey.stages import run_stages
from weaklink.collect.survey.surveyed import find_maker

SEEN = 512

LOADING = "starting"
"""The stage in which the module of an environment is imported."""

THROUGH = 71
"""The exit code of a worker that came to its own end and said all it had to say, whether or not that was heard."""


class SurveyRequest(msgspec.Struct, frozen=True):
    """What to survey.

    `check_with_sb3` asks for the complaints of SB3's checker and nothing else, `model` for a look at the model that
    this `module:factory` makes. Importing the module may take `loading` seconds, which are not counted to the plan's.
    """

    word: str
    plan: SurveyPlan
    loading: float
    check_with_sb3: bool = False
    model: str = ""


class SurveyMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a process says: where it is, a part that it has found, why it cannot go on, or that it is through.

    `own` says that it is busy with a part, and not with the environment, until it says where it is again.
    """

    own: bool = False
    stage: str = ""
    steps: int = 0
    part: bytes = b""
    unusable: str = ""
    done: bool = False


def main() -> int:
    """Carries out what it is asked for; the exit code."""
    parent = ParentChannel()
    request = parent.hear(SurveyRequest)
    try:
        if request.check_with_sb3:
            _check(parent, request)
        elif request.model:
            _examine(parent, request)
        else:
            _survey(parent, request)
    except WeaklinkError as error:
        parent.say(SurveyMessage(unusable=str(error)))
    parent.say(SurveyMessage(done=True))
    return 0 if parent.cut else THROUGH


def _survey(parent: ParentChannel, request: SurveyRequest) -> None:
    plan = request.plan
    errors = os.dup(2)  # the environment may redirect or close its own

    def report(stage: str, steps: int) -> None:
        long = {LOADING: request.loading, **dict.fromkeys(("making", "checking"), plan.seconds)}
        patience = next((each for begin, each in long.items() if stage.startswith(begin)), plan.patience)
        faulthandler.dump_traceback_later(patience, exit=True, file=errors)
        parent.say(SurveyMessage(stage=stage, steps=steps))

    report(LOADING, 0)
    with contextlib.suppress(BaseException):  # what is wrong with it is said where it is made
        load_named(request.word, "The environment")
    make, _ = find_maker(request.word, plan)
    for part in run_stages(SurveySession(make, plan, report), {}):
        faulthandler.cancel_dump_traceback_later()  # until the next stage the time is ours
        parent.say(SurveyMessage(own=True))
        parent.say(SurveyMessage(part=pack_part(part)))
    faulthandler.cancel_dump_traceback_later()


def _check(parent: ParentChannel, request: SurveyRequest) -> None:
    make, _ = find_maker(request.word, request.plan)
    environment = make()
    if refuses_invalid(environment):
        return  # the checker takes actions without asking for the mask
    found = import_module("weaklink.adapters.sb3.checker").list_complaints(environment)
    parent.say(SurveyMessage(part=pack_part({"complaints": tuple(found)})))


def _examine(parent: ParentChannel, request: SurveyRequest) -> None:
    thing = load_named(request.model, "The model")
    model = thing() if inspect.isroutine(thing) or inspect.isclass(thing) else thing
    seen = _collect_observations(request) if request.word else None
    check = import_module("weaklink.adapters.models").examined(model, seen, seed=request.plan.seed)
    parent.say(SurveyMessage(part=msgspec.msgpack.encode(check)))


def _collect_observations(request: SurveyRequest) -> Any:
    """What random play sees."""
    make, _ = find_maker(request.word, request.plan)
    environment = make()
    session = SurveySession(make, request.plan, lambda stage, steps: None)
    act = make_random_policy(environment.action, session.rng)
    seen = play(session, environment, act, policy="random", steps=SEEN, episodes=1, until=session.left(0.1), keep=SEEN)
    environment.close()
    return seen.observations


if __name__ == "__main__":
    os._exit(main())  # whatever threads the environment left behind do not hold us up
