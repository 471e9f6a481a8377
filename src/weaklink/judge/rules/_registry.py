"""The rules: how one is declared, found, read and asked.

A rule is a function in a file of its own name, `rules/<family>/<fault>.py`; its docstring is its page, and its
decorator says all else that belongs to it. Nothing else has to be told that it exists.
"""

from __future__ import annotations

import inspect
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import msgspec

from weaklink.base.errors import NoDocstrings, UnknownRule, UsageError
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.finding import Answer, CannotTell, Finding, Level
from weaklink.base.loop import FAMILIES, Link
from weaklink.base.proving import ProvenBy
from weaklink.judge.rules._declarations import BareLimit, CheckName, CheckRole, Mark, SymptomName

Judge = Callable[..., Answer]
Needs = tuple[str | tuple[str, ...], ...]

HERE = Path(__file__).parent
INDEX = "index.json"
"""What all rules declare, written by `make index` and held true by a test."""

SECTIONS = ("What it sees", "Why it is bad", "What to do", "How to prove it", "When it is wrong", "References")
LAST_IN_TREE = 99


def _name_kind(kind: type) -> str:
    """The module and the name of a class."""
    return f"{kind.__module__}:{kind.__name__}"


class Rule(msgspec.Struct, frozen=True, eq=False, dict=True, omit_defaults=True):
    """One fault: who judges, on what evidence, whom it blames; `rule` says what each field means.

    `place` is its family and its fault, `kind` the module and the class of the evidence. It is known without its file:
    `judge` loads that, when the rule is asked.
    """

    code: str
    place: str
    link: Link
    level: Level
    kind: str = _name_kind(Run)
    needs: Needs = ()
    leads_to: tuple[str, ...] = ()
    tree: int = LAST_IN_TREE
    since: str = "0.1"
    samples: Needs | None = None
    symptoms: dict[SymptomName, int] = {}
    checks: dict[CheckName, CheckRole] = {}
    experiment: ProvenBy | None = None
    alert: BareLimit | None = None
    marks: tuple[Mark, ...] = ()
    only_below: tuple[str, ...] = ()

    @cached_property
    def judge(self) -> Judge:
        """The function that judges.

        Raises:
            RuntimeError: its file declares something else than the index says.
        """
        judge: Any = getattr(import_module(f"weaklink.judge.rules.{self.place}"), self.place.partition(".")[2])
        if msgspec.structs.astuple(judge.rule) != msgspec.structs.astuple(self):
            raise RuntimeError(f"{INDEX} is older than {self.place}: write it anew by `make index`.")
        return cast(Judge, judge)

    @cached_property
    def on(self) -> type:
        """The evidence that it judges."""
        module, _, name = self.kind.partition(":")
        return cast(type, getattr(import_module(module), name))

    @property
    def reads(self) -> tuple[type, ...]:
        """The kinds of evidence that the rule judges."""
        if self.samples is None:
            return (self.on,)
        from weaklink.base.evidence.samples import Samples

        return (Samples, self.on)

    def names_read(self) -> tuple[str, ...]:
        """Their names, for which nothing has to be loaded."""
        own = self.kind.partition(":")[2]
        return (own,) if self.samples is None else ("Samples", own)

    def pick(self, evidence: Mapping[type, Any]) -> list[Any]:
        """What it reads of all that there is, in the order in which it asks it."""
        by_name = {kind.__name__: thing for kind, thing in evidence.items()}
        return [by_name[name] for name in self.names_read() if name in by_name]

    @property
    def of(self) -> str:
        """The family of algorithms that the rule is for; empty for all."""
        return "language" if self.code.startswith(("LLM", "AGT")) else ""

    @property
    def name(self) -> str:
        """The fault, as users write it: `entropy-collapse`."""
        return self.place.partition(".")[2].replace("_", "-")

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return inspect.cleandoc(self.judge.__doc__ or "").partition("\n")[0]

    @cached_property
    def page(self) -> dict[str, str]:
        """The sections of the docstring by heading."""
        text = inspect.cleandoc(self.judge.__doc__ or "")
        parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
        return {heading.strip(): body.strip() for heading, body in zip(parts[1::2], parts[2::2], strict=True)}

    @cached_property
    def fix(self) -> tuple[str, ...]:
        """The steps of "What to do", in their order."""
        return tuple(_parse_items(self.page.get("What to do", "")))

    @cached_property
    def verify(self) -> str:
        """The experiment of "How to prove it": the command where it begins with one, all of it otherwise."""
        body = self.page.get("How to prove it", "")
        command = re.match(r"`(weaklink [^`]+)`", body)
        return command.group(1) if command else " ".join(body.split())

    @cached_property
    def thresholds(self) -> dict[str, Any]:
        """The keyword-only parameters that users can set, with their defaults."""
        parameters = inspect.signature(self.judge).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}

    def missing(self, evidence: Any) -> tuple[str, ...]:
        """What the rule needs and the evidence lacks, alternatives joined by `or`."""
        if self.on is Config and not evidence:
            return ("hyper-parameters",)
        needs = self.needs if self.samples is None or isinstance(evidence, self.on) else self.samples
        wanted = ((need,) if isinstance(need, str) else need for need in needs)
        return tuple(" or ".join(names) for names in wanted if not any(name in evidence for name in names))

    def ask(self, evidence: Any, settings: Mapping[str, Any] | None = None) -> Answer:
        """Judges the evidence: findings stamped with the rule's own facts, `CannotTell`, or None for clean."""
        missing = self.missing(evidence)
        if missing:
            return CannotTell(missing)
        answer = self.judge(evidence, **(settings or {}))
        if isinstance(answer, tuple):
            return tuple(map(self.stamp, answer)) or None
        return self.stamp(answer) if isinstance(answer, Finding) else answer

    def stamp(self, finding: Finding) -> Finding:
        """Fills in what the rule itself knows."""
        return msgspec.structs.replace(
            finding,
            code=self.code,
            name=self.name,
            link=finding.link or self.link,
            level=finding.level or self.level,
            fix=finding.fix or self.fix,
            verify=finding.verify or self.verify,
        )

    def checked(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings for this rule with their names and types checked against its thresholds."""
        checked: dict[str, Any] = {}
        for name, value in settings.items():
            if name not in self.thresholds:
                have = ", ".join(self.thresholds) or "none"
                raise UsageError(f"{self.code} has no setting '{name}': its settings are {have}.")
            checked[name] = _check_type(f"{self.code}.{name}", value, self.thresholds[name])
        return checked


def rule(
    code: str,
    *,
    link: Link,
    level: Level,
    on: type = Run,
    needs: Needs = (),
    leads_to: tuple[str, ...] = (),
    tree: int = LAST_IN_TREE,
    since: str = "0.1",
    samples: Needs | None = None,
    symptoms: Mapping[SymptomName, int] | None = None,
    checks: Mapping[CheckName, CheckRole] | None = None,
    experiment: ProvenBy | None = None,
    alert: BareLimit | None = None,
    marks: tuple[Mark, ...] = (),
    only_below: tuple[str, ...] = (),
) -> Callable[[Judge], Judge]:
    """Declares the decorated function a rule.

    Args:
        code: family and number, never used again.
        link: whom it blames.
        level: how bad it is.
        on: the evidence that it judges.
        needs: metrics, hyper-parameters or rungs without which it cannot tell; a tuple inside lists alternatives.
        leads_to: codes of what follows from it.
        tree: its place in the decision tree, which breaks ties between findings that began together.
        since: the version that had it first.
        samples: the columns that it needs where it is asked about samples too.
        symptoms: what a person sees that it explains, each with its place in the order to look in.
        checks: the items of checklists that it answers.
        experiment: what proves it or refutes it (`weaklink confirm`).
        alert: the bare limit of `weaklink.check_alerts` that stands for it.
        marks: how its findings are treated where they differ from all others.
        only_below: what, of all it leads to, follows only from a setting below its limit.
    """
    declared = (needs, leads_to, tree, since, samples, dict(symptoms or {}), dict(checks or {}))

    def declare(judge: Judge) -> Judge:
        place = ".".join(judge.__module__.split(".")[-2:])
        made = Rule(code, place, link, level, _name_kind(on), *declared, experiment, alert, marks, only_below)
        judge.rule = made  # type: ignore[attr-defined]
        return judge

    return declare


@cache
def load_rules() -> dict[str, Rule]:
    """Every rule by its code, in the order of the loop.

    What they declare stands in the index, since loading all files would take longer than judging a small log. Where
    the index and the files that there are do not fit, the files count.
    """
    if sys.flags.optimize > 1:
        raise NoDocstrings
    found = read_index()
    places = list_places()
    if {rule.place for rule in found} != places:
        found = read_files(places)
    found.sort(key=lambda rule: (rule.link.order, rule.code))
    return {rule.code: rule for rule in found}


@cache
def load_rules_on(*kinds: type) -> dict[str, Rule]:
    """The rules that read these kinds of evidence."""
    names = {kind.__name__ for kind in kinds}
    return {code: rule for code, rule in load_rules().items() if names.intersection(rule.names_read())}


@cache
def load_rules_declaring(argument: str) -> dict[str, Rule]:
    """The rules whose decorator states this argument, such as `symptoms`."""
    return {code: rule for code, rule in load_rules().items() if getattr(rule, argument)}


def read_index() -> list[Rule]:
    """The rules as the index has them."""
    return msgspec.json.decode((HERE / INDEX).read_bytes(), type=list[Rule])


def list_places() -> set[str]:
    """The family and the fault of every rule that has a file."""
    families = [name for name in os.listdir(HERE) if name.isidentifier() and not name.startswith("_")]
    return {
        f"{family}.{name.removesuffix('.py')}"
        for family in families
        if (HERE / family).is_dir()
        for name in os.listdir(HERE / family)
        if name.endswith(".py") and not name.startswith("_")
    }


def read_files(places: Iterable[str]) -> list[Rule]:
    """The rules as their files declare them."""
    return [getattr(import_module(f"weaklink.judge.rules.{each}"), each.partition(".")[2]).rule for each in places]


def find_rule(word: str) -> Rule:
    """The rule with this code or name, in any case."""
    wanted = word.strip().lower()
    fitting = [each for each in load_rules().values() if wanted in (each.code.lower(), each.name)]
    if len(fitting) > 1:
        codes = ", ".join(each.code for each in fitting)
        raise UnknownRule(f"Several rules are called '{word}': {codes}. Give the code of the one that you mean.")
    if fitting:
        return fitting[0]
    family = wanted.upper()
    if family in FAMILIES:
        raise UnknownRule(f"{family} is a family of rules and not one rule. `weaklink rules {family}` lists them.")
    import difflib

    words = {word.lower(): word for each in load_rules().values() for word in (each.code, each.name)}
    close = difflib.get_close_matches(wanted, words, n=1)
    hint = f" Did you mean {words[close[0]]}?" if close else ""
    raise UnknownRule(f"No rule is called '{word}'.{hint} `weaklink rules` lists them all.")


def _parse_items(body: str) -> list[str]:
    """The items of a Markdown list, continuation lines joined."""
    items: list[str] = []
    for line in body.splitlines():
        match = re.match(r"\s*(?:[-*]|\d+\.)\s+(.*)", line)
        if match:
            items.append(match.group(1).strip())
        elif items and line.strip():
            items[-1] += " " + line.strip()
    return items


def _check_type(place: str, value: Any, default: Any) -> Any:
    if isinstance(default, bool):
        if isinstance(value, bool):
            return value
        if str(value).lower() in ("true", "false"):
            return str(value).lower() == "true"
        raise UsageError(f"{place} must be true or false, not {value!r}.")
    if isinstance(default, int | float):
        return _check_number(place, value, default)
    return str(value)


def _check_number(place: str, value: Any, default: float) -> float:
    """A finite number of the kind that the default is: a limit of NaN or infinity would switch its rule off unseen."""
    try:
        number = float("nan" if isinstance(value, bool) else value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"{place} must be a number (default {default}), not {value!r}.")
    if not isinstance(default, int):
        return number
    if number != int(number):
        raise UsageError(f"{place} must be a whole number (default {default}), not {value!r}.")
    return int(number)
