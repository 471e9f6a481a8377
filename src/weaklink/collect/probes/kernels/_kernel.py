"""What a kernel is: the arguments it may take, the cases to try it on, its right answers and the known wrong ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weaklink.base.loop import Link

Array = NDArray[Any]
Facts = dict[str, Any]
"""All there is to know of one case, by name."""


class AnswerForm(NamedTuple):
    """One accepted shape of an answer: its arrays in their order.

    Entries that are not a number are not compared; where infinity stands, anything but a finite number is expected.
    `slack` is how far off a convention may be that differs in a small constant.
    """

    arrays: tuple[Array, ...]
    slack: float = 0.0


Forms = dict[str, AnswerForm]
Answers = Callable[[Facts], Forms]


@dataclass(frozen=True)
class KernelArgument:
    """What a function may ask for, and the parameter names by which it does.

    `implies` are numbers that need not be asked for where this argument is.
    """

    name: str
    aliases: tuple[str, ...] = ()
    number: bool = False
    implies: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """Every name that it goes by."""
        return (self.name, *self.aliases)


@dataclass(frozen=True)
class KernelCall:
    """One reading of a function's parameters: cases that suit it, and what each of its arguments is given."""

    told: str
    draw: Callable[[np.random.Generator, float, str], Facts]
    give: Callable[[Facts], Mapping[str, Any]]


@dataclass(frozen=True)
class Kernel:
    """A computation with a right answer.

    `orders` are the documented orders of arguments: the one of a function's own length is taken when its parameter
    names say nothing. `usual` lists the values that numbers have which a function does not ask for, `only_with` the
    argument without which such a number does not matter. `drive` calls what is more than a function, such as a buffer;
    `differing` then compares its results and `told` says how they differ. `names` are those by which functions of a
    module are recognised. `leading` says that only the first of several results is judged, and `maximised` are words
    of a function's name that turn the sign of a loss.
    """

    name: str
    what: str
    link: Link
    look: str
    names: tuple[str, ...]
    calls: Callable[[frozenset[str]], tuple[KernelCall, ...]]
    right: Answers
    variants: Mapping[str, tuple[Answers, ...]]
    arguments: tuple[KernelArgument, ...] = ()
    orders: tuple[tuple[str, ...], ...] = ()
    layouts: tuple[str, ...] = ("TN", "T", "NT")
    usual: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    only_with: Mapping[str, str] = field(default_factory=dict)
    drive: Callable[[Any, Mapping[str, Any]], Any] | None = None
    differing: Callable[[tuple[Array, ...], AnswerForm], float] | None = None
    told: Callable[[tuple[Array, ...], AnswerForm], str] | None = None
    leading: bool = False
    maximised: tuple[str, ...] = ()
