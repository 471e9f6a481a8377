"""Checks a function against a kernel: every way to call it, then the accepted answers, then the wrong ones."""

from __future__ import annotations

import functools
import inspect
import itertools
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from weaklink.base.errors import UsageError
from weaklink.base.evidence.kernels import RIGHT, UNCLEAR, WRONG, KernelCheck
from weaklink.base.reference.remedies import REMEDIES
from weaklink.collect.probes.kernels._arrays import NUMPY, OTHERS, list_styles
from weaklink.collect.probes.kernels._binding import BoundCall, CannotBind, bind_parameters
from weaklink.collect.probes.kernels._comparison import GRAVE
from weaklink.collect.probes.kernels._kernel import Answers, Kernel
from weaklink.collect.probes.kernels._told import count_numbers, format_case, format_results
from weaklink.collect.probes.kernels._trials import CallTrial, CheckedFunction

ENOUGH = 0.95
"""The share of cases that a wrong variant must reproduce before it is named."""

FAMILIAR = 0.5
"""The share of cases that a function must get right before its other answers are called wrong without a name."""

LARGEST = 15
"""On how many of the largest failing cases a variant must show itself before it is tried on all of them."""

FEWEST_CASES = 20


@dataclass(frozen=True)
class VariantMatch:
    """A wrong variant that gives the same numbers as the function."""

    name: str
    count: int


def check(
    kernel: Kernel,
    function: Any,
    *,
    cases: int = 200,
    seed: int = 0,
    names: Mapping[str, str] | None = None,
    layout: str | None = None,
    **numbers: float,
) -> KernelCheck:
    """Compares a function with the right answer of a kernel.

    Args:
        kernel: What the function is supposed to compute.
        function: The user's own function; for buffers and running moments a class, or whatever makes one.
        cases: How many cases are generated, from small ones to larger ones.
        seed: The seed of the cases.
        names: Which argument each parameter is, where its own name does not say.
        layout: TN, T or NT (B or B1 for batches) where only one of them is meant; otherwise all are tried.
        numbers: Numbers that the function has built in, such as gamma.
    """
    _check_arguments(kernel, cases, layout, names or {}, numbers)
    blank = _make_blank_check(kernel, function)
    try:
        how = BoundCall((), {}) if kernel.drive is not None else bind_parameters(kernel, function, names or {})
    except CannotBind as error:
        return _fill_check(blank, verdict=UNCLEAR, note=str(error))
    subject = CheckedFunction(kernel, _turn_sign(kernel, function), how, cases, seed)
    options = list(_list_numbers(kernel, how, numbers))
    failed: list[CallTrial] = []
    reasons: list[str] = []
    for chosen in options:
        for trial in _list_trials(subject, layout, chosen, reasons):
            if trial.plausible and (trial.right or _close(trial)):
                return _report_right(blank, trial, failed)
            failed.append(trial)
    if not failed:
        return _fill_check(blank, verdict=UNCLEAR, note=_explain_no_call(reasons, kernel))
    return _report_failure(blank, failed, guessed=_list_guessed_numbers(kernel, how, numbers))


def _check_arguments(
    kernel: Kernel, cases: int, layout: str | None, names: Mapping[str, str], numbers: Mapping[str, float]
) -> None:
    if cases < FEWEST_CASES:
        raise UsageError(f"A kernel is checked on at least {FEWEST_CASES} cases, not on {cases}.")
    if layout is not None and layout not in kernel.layouts:
        raise UsageError(f"The layout of {kernel.name} is one of {', '.join(kernel.layouts)}, not '{layout}'.")
    known = {argument.name for argument in kernel.arguments}
    for parameter, name in names.items():
        if name not in known:
            raise UsageError(f"{kernel.name} has no argument '{name}' (for {parameter}): it has {', '.join(known)}.")
    for name in numbers:
        if name not in kernel.usual:
            have = ", ".join(kernel.usual) or "none"
            raise UsageError(f"{kernel.name} has no number '{name}' to be given: it has {have}.")


def _turn_sign(kernel: Kernel, function: Any) -> Any:
    """A function whose name says that it is to be maximised, with its sign turned."""
    name = str(getattr(function, "__name__", "")).lower()
    if not any(word in name for word in kernel.maximised):
        return function

    @functools.wraps(function)
    def negated(*given: Any, **named: Any) -> Any:
        answer = function(*given, **named)
        return -answer[0] if isinstance(answer, tuple) else -answer

    return negated


def _list_missing_numbers(kernel: Kernel, how: BoundCall, numbers: Mapping[str, float]) -> list[str]:
    """Numbers that the answer depends on and nobody has told."""
    implied = {name for each in kernel.arguments if each.name in how.arguments for name in each.implies}
    known = {*how.arguments, *implied, *numbers}
    idle = {name for name, argument in kernel.only_with.items() if argument not in how.arguments}
    return [name for name in kernel.usual if name not in known | idle]


def _list_guessed_numbers(kernel: Kernel, how: BoundCall, numbers: Mapping[str, float]) -> list[str]:
    return [name for name in _list_missing_numbers(kernel, how, numbers) if len(kernel.usual[name]) > 1]


def _list_numbers(kernel: Kernel, how: BoundCall, numbers: Mapping[str, float]) -> Iterator[dict[str, float]]:
    """The numbers given, with every usual value of those that are missing."""
    missing = _list_missing_numbers(kernel, how, numbers)
    for values in itertools.product(*(kernel.usual[name] for name in missing)):
        yield dict(numbers) | dict(zip(missing, values, strict=True))


def _list_trials(
    subject: CheckedFunction, layout: str | None, numbers: Mapping[str, float], reasons: list[str]
) -> Iterator[CallTrial]:
    """Every way of calling that gives results of a known shape: the first style of each kind of array."""
    calls = subject.kernel.calls(subject.bound.arguments)
    if not calls:
        reasons.append(f"it takes {', '.join(sorted(subject.bound.arguments))}, which is not enough")
    for call in calls:
        for arrangement in (layout,) if layout is not None else subject.kernel.layouts:
            done: set[str] = set()
            for style in NUMPY[:1] if subject.kernel.drive else list_styles(subject.function, arrangement):
                if style.kind in done:
                    continue
                trial = CallTrial(subject, call, arrangement, style, numbers)
                if not trial.callable:
                    reasons += [output for output in trial.probes if isinstance(output, str)][:1]
                elif not trial.readable:
                    reasons.append("its result has a shape that is not understood")
                else:
                    done.add(style.kind)
                    yield trial


def _close(trial: CallTrial) -> bool:
    """Whether all differences are those of a coarse precision."""
    return not trial.raised and float(trial.best.gaps.max()) < GRAVE


def _report_right(blank: KernelCheck, trial: CallTrial, failed: list[CallTrial]) -> KernelCheck:
    """The function is right, unless it mixes up environments where it is given several of them."""
    if trial.layout == "T":
        for other in failed:
            if other.call is trial.call and other.layout == "TN" and not other.raised:
                match = _match_variant(other)
                if match is not None:
                    return _report_wrong(blank, other, match)
    others = [] if trial.subject.kernel.drive else [each for each in OTHERS if each.kind == trial.style.kind]
    more = [style.told for style in others if style != trial.style and _also(trial, style)]
    note = "" if trial.right else f"It agrees within {float(trial.best.gaps.max()):.1g} of its size: coarse precision."
    inputs = "; ".join([trial.told, *more])
    worst = float(trial.best.gaps.max())
    return _fill_check(
        blank,
        verdict=RIGHT,
        cases=trial.subject.cases,
        inputs=inputs,
        convention=trial.best.name,
        error=worst,
        note=note,
    )


def _also(trial: CallTrial, style: Any) -> bool:
    """Whether the function holds in another style, too; one that it cannot be called in says nothing."""
    other = CallTrial(trial.subject, trial.call, trial.layout, style, trial.numbers)
    return other.callable and other.plausible


def _report_failure(blank: KernelCheck, failed: list[CallTrial], guessed: list[str]) -> KernelCheck:
    matches = list(_find_matches(failed, guessed))
    if matches:
        trial, match = max(matches, key=lambda pair: pair[1].count)
        return _report_wrong(blank, trial, match)
    if guessed:
        built_in = " and no ".join(guessed)
        cure = f"it takes no {built_in}: give what it has built in, as {guessed[0]}=..., and check again."
        return _fill_check(blank, verdict=UNCLEAR, note=cure)
    trial = max(failed, key=lambda each: each.best.familiar)
    if trial.raised and trial.best.count == trial.subject.cases - len(trial.raised):
        return _report_raised(blank, trial)
    if trial.best.familiar < FAMILIAR * trial.subject.cases:
        note = f"it is right on {trial.best.familiar} of {trial.subject.cases} cases and like no known mistake on the "
        note += "others, so it may mean something else. Compare by hand: "
        note += _describe_smallest(trial, trial.failing)
        return _fill_check(blank, verdict=UNCLEAR, note=note, cases=trial.subject.cases, inputs=trial.told)
    return _report_wrong(blank, trial, None)


def _find_matches(failed: list[CallTrial], guessed: list[str]) -> Iterator[tuple[CallTrial, VariantMatch]]:
    """Trials that a variant explains, up to the first that it explains in every case.

    Where a discount was guessed, no mistake with a discount can be told from another discount.
    """
    for trial in failed:
        match = _match_variant(trial)
        if match is None or (guessed and ("gamma" in match.name or "lambda" in match.name)):
            continue
        yield trial, match
        if match.count == trial.subject.cases:
            return


def _match_variant(trial: CallTrial) -> VariantMatch | None:
    """The first wrong variant that reproduces the function."""
    suspects = [
        (name, answers)
        for name, group in trial.subject.kernel.variants.items()
        for answers in group
        if trial.reproduced(answers, trial.probed)
    ]
    if not suspects:
        return None
    shown = [index for index in trial.failing if not isinstance(trial.outputs[index], str)][-LARGEST:]
    answered = trial.subject.cases - len(trial.raised)
    best: VariantMatch | None = None
    for name, answers in suspects if shown else ():
        count = _count_reproduced(trial, answers, shown)
        if count >= ENOUGH * answered and (best is None or count > best.count):
            best = VariantMatch(name, count)
        if best is not None and best.count == trial.subject.cases:
            return best
    return best


def _count_reproduced(trial: CallTrial, answers: Answers, shown: list[int]) -> int:
    """In how many cases one form of a variant gives the numbers of the function."""
    likely = trial.reproduced(answers, shown[::-1])
    if not likely:
        return 0
    found = trial.compared(answers, list(range(trial.subject.cases)))
    return max(found[name].count for name in likely)


def _report_wrong(blank: KernelCheck, trial: CallTrial, match: VariantMatch | None) -> KernelCheck:
    failing = trial.failing
    finite = trial.best.gaps[np.isfinite(trial.best.gaps)]
    return _fill_check(
        blank,
        verdict=WRONG,
        cases=trial.subject.cases,
        failing=len(failing),
        variant=match.name if match else "",
        matched=match.count if match else 0,
        smallest=_describe_smallest(trial, failing),
        error=float(finite.max()) if len(finite) == len(trial.best.gaps) else float("inf"),
        inputs=trial.told,
        fix=REMEDIES.get(match.name, "") if match else "",
    )


def _report_raised(blank: KernelCheck, trial: CallTrial) -> KernelCheck:
    raised = trial.raised
    return _fill_check(
        blank,
        verdict=WRONG,
        cases=trial.subject.cases,
        failing=len(raised),
        raised=str(trial.outputs[raised[0]]),
        smallest=_describe_smallest(trial, raised),
        error=float("inf"),
        inputs=trial.told,
        fix="Let it answer this case too: it is legitimate, and training meets it.",
    )


def _describe_smallest(trial: CallTrial, failing: list[int]) -> str:
    """The failing case with the fewest numbers, in one line."""

    def size(index: int) -> int:
        return sum(count_numbers(value) for value in trial.call.give(trial.facts(index)).values())

    index = min(failing, key=size)
    facts, output = trial.facts(index), trial.outputs[index]
    given = trial.subject.bound.spelled(trial.given(facts))
    form = trial.expected(index, trial.subject.kernel.right)[trial.best.name]
    if isinstance(output, str):
        return f"{format_case(given)}: it raises {output}, right is {format_results(form.arrays)}"
    if trial.subject.kernel.told is not None:
        return f"{format_case(given)}: {trial.subject.kernel.told(output, form)}"
    return f"{format_case(given)}: it gives {format_results(output)}, right is {format_results(form.arrays)}"


def _explain_no_call(reasons: list[str], kernel: Kernel) -> str:
    unlike = list(dict.fromkeys(reasons))
    said = unlike[0] if unlike else "nothing suits its parameters"
    order = ", ".join(kernel.orders[0]) if kernel.orders else ""
    cure = f" Wrap it in a lambda that takes {order}." if order else ""
    return f"{said}.{cure}"


def _make_blank_check(kernel: Kernel, function: Any) -> KernelCheck:
    file, line = _find_place(function)
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    return KernelCheck(kernel=kernel.name, function=str(name), link=kernel.link, file=file, line=line, look=kernel.look)


def _find_place(function: Callable[..., Any]) -> tuple[str, int]:
    if isinstance(function, functools.partial):
        function = function.func
    try:
        plain = inspect.unwrap(function)
        file = inspect.getsourcefile(plain) or ""
        if inspect.isclass(plain):
            return _shorten_path(file), inspect.getsourcelines(plain)[1]
        return _shorten_path(file), int(plain.__code__.co_firstlineno)
    except (TypeError, OSError, AttributeError):
        return "", 0


def _shorten_path(file: str) -> str:
    """The file as it is called from here."""
    if not file:
        return ""
    near = os.path.relpath(file)
    return os.path.basename(file) if near.startswith("..") else near


def _fill_check(blank: KernelCheck, **known: object) -> KernelCheck:
    import msgspec

    return msgspec.structs.replace(blank, **known)
