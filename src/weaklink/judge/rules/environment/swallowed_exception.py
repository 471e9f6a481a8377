from __future__ import annotations

import re

from weaklink.base.evidence.survey import Survey, SwallowedError
from weaklink.judge.rules._words import shorten
from weaklink.judge.rules.environment._faults import LIBRARY
from weaklink.judge.rules.writing import (
    HIGH,
    MEDIUM,
    Answer,
    CannotTell,
    Evidence,
    Finding,
    Level,
    Link,
    answer_with,
    rule,
)

# exceptions that are ordinary control flow: a lookup that found nothing
_STEERING = re.compile(
    r"(StopIteration|StopAsyncIteration|GeneratorExit|AttributeError|KeyError|ImportError|ModuleNotFoundError"
    r"|NotImplementedError|Empty|BlockingIOError)\b"
)

# exceptions that mean a fault even where a library raises them and its caller catches them
_TROUBLE = re.compile(
    r"(ArithmeticError|ZeroDivisionError|FloatingPointError|OverflowError|LinAlgError|MemoryError|RuntimeError"
    r"|RecursionError|\w*(Physics|Solver|Simulat)\w*)\b"
)

_SERIOUS_LOG = re.compile(r"\W*(error|critical|fatal|exception)\b|.*(traceback|\w+Error\b|exception)", re.IGNORECASE)
_ADVICE = re.compile(r"(Deprecation|PendingDeprecation|Future|User|Resource|Import|Syntax|Unicode|Bytes)\w*Warning")
_NUMERICAL = re.compile(
    r"RuntimeWarning|(overflow|invalid value|divide by zero).*encountered|\bnan\b|not finite|non-?finite|unstable"
    r"|converge",
    re.IGNORECASE,
)
_WORDS = {
    "exception": "raises an exception and continues as if nothing had happened",
    "printed": "prints a traceback and continues",
    "replaced": "replaces NaN or infinite values",
    "log": "logs an error and continues",
    "warning": "raises a numerical warning",
}


@rule(
    "ENV106",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    leads_to=("ENV108", "OBS101", "OBS102", "OBS104", "OBS110", "REW101", "REW111"),
)
def swallowed_exception(survey: Survey, *, most: int = 5) -> Answer:
    """A step fails inside and returns as if nothing had happened.

    ## What it sees
    While a few hundred steps are traced: exceptions that the environment raises and catches, tracebacks that it prints,
    errors that it logs, numerical warnings (overflow, invalid value, division by zero), and NaN or infinite values that
    are replaced. Advice, deprecation warnings and ordinary lookups that fail are ignored.

    ## Why it is bad
    The agent is trained on a substitute for the real data: a stale observation, a zero, a default reward. It is
    rewarded in states where the simulation failed, and it may learn to go there.

    ## What to do
    1. Remove the `try` around what failed and let it raise; fix the cause that then shows.
    2. Where a failure is part of the task, make it visible: end the episode with `terminated`, or put it into the
       observation.
    3. Turn numerical warnings into errors while you look: `np.seterr(all="raise")`.

    ## How to prove it
    `weaklink preflight ENV --select ENV106` after the change. By hand: run a few hundred random steps with
    `python -W error::RuntimeWarning`.

    ## When it is wrong
    An exception may be the normal way to find something out, such as whether a text is a number. Infinite distances of
    a range sensor are rightly replaced. Such code can stay as it is.

    ## References
    Practice; legged_lab issue #15: an infinite sensor value that surfaced as another error 1,700 iterations later.
    """
    if survey.swallowed is None:
        return CannotTell(("swallowed",), "no step was traced")
    found = [_describe(one) for one in sorted(survey.swallowed, key=lambda one: -one.times) if _is_trouble(one)]
    return answer_with(found[:most])


def _is_trouble(one: SwallowedError) -> bool:
    if one.kind == "exception":
        if LIBRARY.search(one.where):
            return bool(_TROUBLE.match(one.text))
        return not _STEERING.match(one.text)
    if one.kind == "log":
        return bool(_SERIOUS_LOG.match(one.text))
    if one.kind == "warning":
        return bool(_NUMERICAL.search(one.text)) and not _ADVICE.match(one.text)
    return one.kind in ("printed", "replaced")


def _describe(one: SwallowedError) -> Finding:
    words = shorten(" ".join(one.text.split()).rstrip(". "), 160)  # about two lines of a terminal
    where = f", at {one.where}" if one.where else ""
    often = f"{one.times:,} times in {one.steps:,} steps" if one.steps else f"{one.times:,} times"
    return Finding(
        message=f"A step {_WORDS.get(one.kind, 'fails and continues')}, {often}: {words}{where}.",
        confidence=HIGH if one.kind in ("replaced", "printed", "log") else MEDIUM,
        evidence=(Evidence(metric=f"swallowed.{one.kind}", value=float(one.times), limit=0.0),),
    )
