from __future__ import annotations

import re

from weaklink.base.evidence.survey import Survey, Swallowed
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.environment._faults import LIBRARY

_STEERING = re.compile(
    r"(StopIteration|StopAsyncIteration|GeneratorExit|AttributeError|KeyError|ImportError|ModuleNotFoundError"
    r"|NotImplementedError|Empty|BlockingIOError)\b"
)
"""Exceptions that steer ordinary code: looked up, not found, went on."""

_TROUBLE = re.compile(
    r"(ArithmeticError|ZeroDivisionError|FloatingPointError|OverflowError|LinAlgError|MemoryError|RuntimeError"
    r"|RecursionError|\w*(Physics|Solver|Simulat)\w*)\b"
)
"""Exceptions that mean trouble even where a library raises and its caller catches them."""

_SERIOUS_LOG = re.compile(r"\W*(error|critical|fatal|exception)\b|.*(traceback|\w+Error\b|exception)", re.IGNORECASE)
_ADVICE = re.compile(r"(Deprecation|PendingDeprecation|Future|User|Resource|Import|Syntax|Unicode|Bytes)\w*Warning")
_NUMERICAL = re.compile(
    r"RuntimeWarning|(overflow|invalid value|divide by zero).*encountered|\bnan\b|not finite|non-?finite|unstable"
    r"|converge",
    re.IGNORECASE,
)
_WORDS = {
    "exception": "raises an exception and goes on as if nothing had happened",
    "printed": "prints a traceback and goes on",
    "replaced": "replaces numbers that are not finite",
    "log": "logs an error and goes on",
    "warning": "warns of its own numbers",
}


@rule(
    "ENV106",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    leads_to=("ENV108", "OBS101", "OBS102", "OBS104", "OBS110", "REW101", "REW111"),
)
def swallowed_exception(survey: Survey, *, most: int = 5) -> Answer:
    """A step goes wrong inside and comes back as if nothing had happened.

    ## What it sees
    While some hundred steps are watched: exceptions that the environment raises and catches, tracebacks that it prints,
    errors that it logs, numerical warnings (overflow, invalid value, division by zero), and numbers that are not finite
    and are replaced. Advice, announcements of changes to come and the lookups of ordinary code are passed over.

    ## Why it is bad
    The agent is trained on what stands in for the truth: an old observation, a zero, a default reward. It is paid for
    states in which the simulation failed, and it may learn to go there.

    ## What to do
    1. Take the `try` away around what failed and let it raise; mend the cause that then shows.
    2. Where a failure is part of the world, say so: end the episode with `terminated`, or tell it in the observation.
    3. Turn numerical warnings into errors while you look: `np.seterr(all="raise")`.

    ## How to prove it
    `weaklink preflight ENV --select ENV106` after the change. By hand: run a few hundred random steps with
    `python -W error::RuntimeWarning`.

    ## When it is wrong
    An exception may be the ordinary way to learn something, such as that a text is no number. Infinite distances of a
    range sensor are replaced rightly. Such places can be left as they are.

    ## References
    Practice; legged_lab issue #15: an infinite sensor value that surfaced as another error 1,700 iterations later.
    """
    if survey.swallowed is None:
        return CannotTell(("swallowed",), "no step was watched from inside")
    found = [_finding(one) for one in sorted(survey.swallowed, key=lambda one: -one.times) if _is_trouble(one)]
    return found[0] if len(found) == 1 else tuple(found[:most]) or None


def _is_trouble(one: Swallowed) -> bool:
    if one.kind == "exception":
        if LIBRARY.search(one.where):
            return bool(_TROUBLE.match(one.text))
        return not _STEERING.match(one.text)
    if one.kind == "log":
        return bool(_SERIOUS_LOG.match(one.text))
    if one.kind == "warning":
        return bool(_NUMERICAL.search(one.text)) and not _ADVICE.match(one.text)
    return one.kind in ("printed", "replaced")


def _finding(one: Swallowed) -> Finding:
    words = " ".join(one.text.split()).rstrip(". ")
    words = words if len(words) <= 160 else words[:157].rstrip() + "..."
    where = f", at {one.where}" if one.where else ""
    often = f"{one.times:,} times in {one.steps:,} steps" if one.steps else f"{one.times:,} times"
    return Finding(
        message=f"A step {_WORDS.get(one.kind, 'goes wrong and goes on')}, {often}: {words}{where}.",
        confidence=HIGH if one.kind in ("replaced", "printed", "log") else MEDIUM,
        evidence=(Evidence(metric=f"swallowed.{one.kind}", value=float(one.times), limit=0.0),),
    )
