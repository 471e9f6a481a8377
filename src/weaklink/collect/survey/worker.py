"""The process in which an environment is surveyed, so that one that crashes or hangs takes only this down.

It is given a folder with the request, writes each part of the survey into it as soon as it is found, and tells on its
standard output what it is doing. Whatever the environment prints goes to standard error.
"""

from __future__ import annotations

import faulthandler
import inspect
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.packing import packed
from weaklink.base.outside.named import named
from weaklink.base.outside.processes import own_output
from weaklink.collect.survey.plan import SurveyPlan
from weaklink.collect.survey.sampler import play, random_policy
from weaklink.collect.survey.session import Session
from weaklink.collect.survey.stages import stages
from weaklink.collect.survey.surveyed import maker

REQUEST, PART = "request.json", "part"
UNUSABLE = 2
SEEN = 512


class Request(msgspec.Struct, frozen=True):
    """What to survey.

    `check_with_sb3` asks for the complaints of SB3's checker and nothing else, `model` for a look at the model that
    this `module:factory` makes.
    """

    word: str
    plan: SurveyPlan
    check_with_sb3: bool = False
    model: str = ""


def main(folder: Path) -> int:
    """Carries out the request of a folder."""
    say = own_output()
    request = msgspec.json.decode((folder / REQUEST).read_bytes(), type=Request)
    warnings.simplefilter("ignore")
    _limit_threads()
    try:
        if request.check_with_sb3:
            _check(folder, request)
        elif request.model:
            _examine(folder, request)
        else:
            _survey(folder, request, say)
    except WeaklinkError as error:
        say({"unusable": str(error)})
        return UNUSABLE
    return 0


def _survey(folder: Path, request: Request, say: Any) -> None:
    plan = request.plan
    faulthandler.enable()
    make, _ = maker(request.word, plan)
    errors = os.dup(2)  # the environment may redirect or close its own

    def report(stage: str, steps: int) -> None:
        patience = plan.seconds if stage.startswith(("making", "checking")) else plan.patience
        faulthandler.dump_traceback_later(patience, exit=True, file=errors)
        say({"stage": stage, "steps": steps})

    for count, part in enumerate(stages(Session(make, plan, report), {})):
        _write(folder / f"{count:03}.{PART}", packed(part))
    faulthandler.cancel_dump_traceback_later()


def _check(folder: Path, request: Request) -> None:
    from importlib import import_module

    make, _ = maker(request.word, request.plan)
    environment = make()
    found = import_module("weaklink.adapters.sb3.checker").complaints(environment)
    _write(folder / f"sb3.{PART}", packed({"complaints": tuple(found)}))


def _examine(folder: Path, request: Request) -> None:
    from importlib import import_module

    faulthandler.enable()
    thing = named(request.model, "The model")
    model = thing() if inspect.isroutine(thing) or inspect.isclass(thing) else thing
    seen = _observations(request) if request.word else None
    check = import_module("weaklink.adapters.models").examined(model, seen, seed=request.plan.seed)
    _write(folder / f"model.{PART}", msgspec.msgpack.encode(check))


def _observations(request: Request) -> Any:
    """What random play sees."""
    make, _ = maker(request.word, request.plan)
    environment = make()
    session = Session(make, request.plan, lambda stage, steps: None)
    act = random_policy(environment.action, session.rng)
    seen = play(session, environment, act, policy="random", steps=SEEN, episodes=1, until=session.left(0.1), keep=SEEN)
    environment.close()
    return seen.observations


def _write(file: Path, content: bytes) -> None:
    """All or nothing: a part that is half written is none."""
    unfinished = file.with_suffix(".unfinished")
    unfinished.write_bytes(content)
    unfinished.replace(file)


def _limit_threads() -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


if __name__ == "__main__":
    os._exit(main(Path(sys.argv[1])))  # whatever threads the environment left behind do not hold us up
