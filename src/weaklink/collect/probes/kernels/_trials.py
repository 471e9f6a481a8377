"""A function tried on generated cases, in one reading of its parameters, one layout and one style of arrays."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from weaklink.adapters.torch import arrays as torch_arrays
from weaklink.collect.probes.kernels._arrays import Array, ArrayStyle, Unreadable, arrange_axes, read_results
from weaklink.collect.probes.kernels._binding import BoundCall
from weaklink.collect.probes.kernels._comparison import GRAVE, compute_tolerance, fits, measure_difference, telling
from weaklink.collect.probes.kernels._kernel import AnswerForm, Answers, Facts, Kernel, KernelCall

PROBES = 6
"""Cases of middle size that show whether a function can be called at all."""


@dataclass(frozen=True)
class CheckedFunction:
    """What is checked, and how often."""

    kernel: Kernel
    function: Any
    bound: BoundCall
    cases: int
    seed: int


@dataclass(frozen=True)
class FormAgreement:
    """How an answer compares with the results.

    In each case: the difference, whether it is within tolerance, and whether enough was compared to say something.
    """

    name: str
    gaps: Array
    same: Array
    telling: Array

    @property
    def count(self) -> int:
        """How many cases agree."""
        return int(self.same.sum())

    @property
    def familiar(self) -> int:
        """How many cases agree and say something by it."""
        return int((self.same & self.telling).sum())


@dataclass(frozen=True)
class CallTrial:
    """The results of one way of calling. A result is a tuple of arrays, or what was raised."""

    subject: CheckedFunction
    call: KernelCall
    layout: str
    style: ArrayStyle
    numbers: Mapping[str, float]

    @property
    def told(self) -> str:
        """How the function was called, in words."""
        layouts = {"TN": "(T, N)", "T": "(T,)", "NT": "(N, T)", "B": "(B,)", "B1": "(B, 1)", "": ""}
        given = [f"{name} {value:g}" for name, value in self.numbers.items()]
        return ", ".join(part for part in (self.style.told, layouts[self.layout], self.call.told, *given) if part)

    def facts(self, index: int) -> Facts:
        """Everything of one case; the same index gives the same case."""
        if index not in self._drawn:
            rng = np.random.default_rng([self.subject.seed, index])
            facts = self.call.draw(rng, index / max(self.subject.cases - 1, 1), self.layout)
            self._drawn[index] = facts | dict(self.numbers)
        return self._drawn[index]

    @cached_property
    def _drawn(self) -> dict[int, Facts]:
        return {}

    def given(self, facts: Facts) -> dict[str, Any]:
        """What the function is given, in its layout and style."""
        arguments = self.call.give(facts)
        return {name: self.style.made(arrange_axes(value, self.layout)) for name, value in arguments.items()}

    def result(self, index: int) -> tuple[Array, ...] | str:
        """What the function makes of one case, or what it raises."""
        if index not in self._seen:
            self._seen[index] = self._result(index)
        return self._seen[index]

    @cached_property
    def _seen(self) -> dict[int, tuple[Array, ...] | str]:
        return {}

    def _result(self, index: int) -> tuple[Array, ...] | str:
        subject, given = self.subject, self.given(self.facts(index))
        missing = subject.bound.missing(given)
        if missing:
            return f"nothing to give for {', '.join(missing)}"
        try:
            with _isolate(subject.seed + index):
                answer = self._asked(given)
            return read_results(answer, 1 if subject.kernel.leading else 2)
        except Unreadable as error:
            return str(error)
        except (Exception, SystemExit) as error:  # whatever the user's code raises is a result
            return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"

    def _asked(self, given: Mapping[str, Any]) -> Any:
        kernel = self.subject.kernel
        if kernel.drive is not None:
            return kernel.drive(self.subject.function, given)
        return self.subject.bound.call(self.subject.function, given)

    @property
    def probed(self) -> list[int]:
        """A few cases of middle size."""
        middle = self.subject.cases // 2
        return list(range(middle, min(middle + PROBES, self.subject.cases)))

    @property
    def probes(self) -> list[tuple[Array, ...] | str]:
        """The results of these few."""
        return [self.result(index) for index in self.probed]

    @cached_property
    def outputs(self) -> list[tuple[Array, ...] | str]:
        """The results of all cases, small ones first."""
        return [self.result(index) for index in range(self.subject.cases)]

    @property
    def raised(self) -> list[int]:
        """The cases in which the function raised."""
        return [index for index, output in enumerate(self.outputs) if isinstance(output, str)]

    def expected(self, index: int, answers: Answers) -> dict[str, AnswerForm]:
        """The forms of an answer to one case, in the layout of the trial."""
        forms = answers(self.facts(index))
        return {
            name: AnswerForm(tuple(arrange_axes(np.asarray(array), self.layout) for array in form.arrays), form.slack)
            for name, form in forms.items()
        }

    def compared(self, answers: Answers, indices: list[int]) -> dict[str, FormAgreement]:
        """Every form of an answer against the results of these cases."""
        gaps: dict[str, list[float]] = {}
        same: dict[str, list[bool]] = {}
        told: dict[str, list[bool]] = {}
        for index in indices:
            output = self.outputs[index]
            for name, form in self.expected(index, answers).items():
                gap = float("inf") if isinstance(output, str) else self._gap(output, form)
                gaps.setdefault(name, []).append(gap)
                told.setdefault(name, []).append(self._telling(form))
                same.setdefault(name, []).append(not isinstance(output, str) and gap <= compute_tolerance(output, form))
        return {
            name: FormAgreement(name, np.array(gaps[name]), np.array(same[name]), np.array(told[name])) for name in gaps
        }

    def _gap(self, output: tuple[Array, ...], form: AnswerForm) -> float:
        measure = self.subject.kernel.differing or measure_difference
        return measure(output, form)

    @cached_property
    def best(self) -> FormAgreement:
        """The accepted answer that the function gives most often."""
        every = list(range(self.subject.cases))
        found = self.compared(self.subject.kernel.right, every)
        every_case = self.subject.cases
        return max(found.values(), key=lambda each: (each.count == every_case, each.familiar, -np.median(each.gaps)))

    @property
    def failing(self) -> list[int]:
        """The cases in which the function does not give that answer."""
        return [index for index, same in enumerate(self.best.same) if not same]

    @property
    def right(self) -> bool:
        """Whether the function gives one accepted answer in every case."""
        return self.best.count == self.subject.cases

    @cached_property
    def plausible(self) -> bool:
        """Whether a few cases leave it possible that the function is right, in whatever precision."""
        for index in self.probed:
            output = self.result(index)
            if isinstance(output, str):
                continue
            forms = self.expected(index, self.subject.kernel.right).values()
            if not any(self._gap(output, form) <= max(GRAVE, compute_tolerance(output, form)) for form in forms):
                return False
        return True

    def reproduced(self, answers: Answers, indices: list[int]) -> list[str]:
        """The forms of an answer that agree with the results of all these cases, and say something in most of them."""
        left: dict[str, int] | None = None
        for index in indices:
            output = self.result(index)
            if isinstance(output, str):
                continue
            forms = self.expected(index, answers)
            told = dict.fromkeys(forms, 0) if left is None else left
            left = {
                name: told[name] + self._telling(form)
                for name, form in forms.items()
                if name in told and self._gap(output, form) <= compute_tolerance(output, form)
            }
            if not left:
                return []
        return [name for name, count in (left or {}).items() if count >= len(indices) / 3]

    def _telling(self, form: AnswerForm) -> bool:
        return self.subject.kernel.differing is not None or telling(form)

    @property
    def callable(self) -> bool:
        """Whether at least one of a few cases gives a result."""
        return any(not isinstance(output, str) for output in self.probes)

    @property
    def readable(self) -> bool:
        """Whether a result has the shape of an accepted answer, or of a known wrong one."""
        kernel = self.subject.kernel
        if kernel.differing is not None:
            return True
        answers = [kernel.right, *(answer for group in kernel.variants.values() for answer in group)]
        index, output = next((index, each) for index in self.probed if not isinstance(each := self.result(index), str))
        return any(fits(output, form) for answer in answers for form in self.expected(index, answer).values())


@contextmanager
def _isolate(seed: int) -> Iterator[None]:
    """Silences warnings, seeds the global generators for what samples, and puts them back."""
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    np.random.seed(seed % 2**32)  # noqa: NPY002
    random.seed(seed)
    torch_state = torch_arrays.seed_generator(seed) if torch_arrays.in_use() else None
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)
        if torch_state is not None:
            torch_arrays.restore_generator(torch_state)
