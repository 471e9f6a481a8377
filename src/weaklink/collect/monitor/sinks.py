"""Where alerts go: the terminal, a function, a webhook, the tracker in use. None of them can hold a training up."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from functools import partial
from inspect import Parameter, signature
from typing import Any, Protocol, TextIO
from urllib.parse import urlsplit

from weaklink._version import __version__
from weaklink.base.errors import UsageError
from weaklink.base.evidence.store import encode_line
from weaklink.base.finding import Finding, Level, encode_finding
from weaklink.collect.monitor.mailbox import Complain, Mailbox
from weaklink.collect.monitor.trackers import NAMES, Finder, TrackerForwarder, make_finder

COLOURS = {Level.INFO: "36", Level.WARN: "33", Level.ERROR: "31;1"}


class AlertSink(Protocol):
    """Takes alerts. `name` and `timeout` (seconds for one alert) are asked for where it has them."""

    def tell(self, finding: Finding, run: str) -> None:
        """Takes one alert of the run of this name; called in a thread of its own."""


class TerminalSink:
    """One line on the standard error stream, in colour where that is a terminal."""

    name = "the terminal"

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    def tell(self, finding: Finding, run: str) -> None:
        """Writes the line."""
        stream = self._stream or sys.stderr
        if stream is None:  # a program without a console
            return
        level = finding.severity
        word = level.word.upper()
        if stream.isatty() and "NO_COLOR" not in os.environ:
            word = f"\x1b[{COLOURS[level]}m{word}\x1b[0m"
        what = " ".join(clean(part) for part in (finding.code, finding.name) if part)
        line = f"weaklink: {word} {what} in {clean(run)}{_format_onset(finding)}: {clean(finding.message)}\n"
        encoding = stream.encoding or "utf-8"
        stream.write(line.encode(encoding, "replace").decode(encoding))
        stream.flush()


class CallbackSink:
    """A function of the finding; one that takes two things is given the name of the run too."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = f"the function {getattr(function, '__name__', type(function).__name__)}"
        self._function = function
        self._wants_run = _takes_two(function)

    def tell(self, finding: Finding, run: str) -> None:
        """Calls the function."""
        if self._wants_run:
            self._function(finding, run)
        else:
            self._function(finding)


class WebhookSink:
    """Posts the finding as JSON: `{"weaklink": version, "run": name, "text": one line, "finding": {...}}`.

    Args:
        url: an http or https address.
        timeout: seconds to wait for it.

    Raises:
        UsageError: the address is none of these.
    """

    def __init__(self, url: str, timeout: float = 2.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"A webhook has an address such as https://example.com/hook, not {url!r}.")
        self.name = f"the webhook at {parts.hostname}"
        self.timeout = timeout
        self._url = url

    def tell(self, finding: Finding, run: str) -> None:
        """Posts it."""
        from urllib.request import Request, urlopen  # as slow to load as all else here together

        text = (
            f"{finding.severity.word} {finding.code} {finding.name} in {run}{_format_onset(finding)}: {finding.message}"
        )
        body = {"weaklink": __version__, "run": run, "text": clean(text), "finding": encode_finding(finding)}
        headers = {"Content-Type": "application/json", "User-Agent": f"weaklink/{__version__}"}
        request = Request(self._url, data=encode_line(body), headers=headers, method="POST")
        with urlopen(request, timeout=self.timeout) as answer:
            answer.read(1)


class TrackerAlerts:
    """Alerts for a tracker; `Sinks` forwards them, because a tracker may have to be found in the caller's thread."""

    def __init__(self, find: Finder) -> None:
        self.find = find


class Sinks:
    """Tells every sink in a thread of its own; one that raises or hangs is left out from then on.

    Args:
        sinks: as `sinks_from` gives them.
        complain: is told in one line which sink was left out, and why.
    """

    def __init__(self, sinks: Iterable[AlertSink | TrackerAlerts], complain: Complain | None = None) -> None:
        self._boxes: list[tuple[AlertSink, Mailbox]] = []
        self._trackers: list[TrackerForwarder] = []
        for sink in sinks:
            if isinstance(sink, TrackerAlerts):
                self._trackers.append(TrackerForwarder(sink.find, complain))
                continue
            name = getattr(sink, "name", type(sink).__name__)
            patience = getattr(sink, "timeout", 5.0) + 1.0
            self._boxes.append((sink, Mailbox(name, timeout=patience, complain=complain)))

    def tell(self, finding: Finding, run: str) -> None:
        """Passes an alert on; returns at once."""
        for tracker in self._trackers:
            tracker.tell(finding, run)
        for sink, box in self._boxes:
            box.put(partial(sink.tell, finding, run))

    def close(self, wait: float = 2.0) -> None:
        """Lets what waits be told, for at most so many seconds."""
        for _, box in self._boxes:
            box.end()
        for _, box in self._boxes:
            wait = box.close(wait)
        for tracker in self._trackers:
            wait = tracker.close(wait)


def sinks_from(wanted: Any, folder: str | os.PathLike[str] | None = None) -> list[AlertSink | TrackerAlerts]:
    """Sinks by name or as they are.

    Args:
        wanted: one or several of `terminal`, the name of a tracker, the address of a webhook, a function, or an object
            with `tell(finding, run)`.
        folder: where TensorBoard's own writer is to write, where it is asked for by name.

    Raises:
        UsageError: a name that is none of these.
    """
    if wanted is None:
        return []
    single = isinstance(wanted, str) or callable(wanted) or hasattr(wanted, "tell")
    return [_make_sink(one, folder) for one in ([wanted] if single else wanted)]


def _make_sink(wanted: Any, folder: str | os.PathLike[str] | None) -> AlertSink | TrackerAlerts:
    if isinstance(wanted, TrackerAlerts) or hasattr(wanted, "tell"):
        sink: AlertSink | TrackerAlerts = wanted
        return sink
    if callable(wanted):
        return CallbackSink(wanted)
    if wanted == "terminal":
        return TerminalSink()
    if isinstance(wanted, str) and wanted in NAMES:
        return TrackerAlerts(make_finder(wanted, folder))
    if isinstance(wanted, str) and "://" in wanted:
        return WebhookSink(wanted)
    known = ", ".join(("terminal", *NAMES))
    raise UsageError(f"Alerts go to {known}, an https:// address or a function, not to {wanted!r}.")


def clean(text: str) -> str:
    """One line without control characters, whatever a log or a name held."""
    return "".join(one if one.isprintable() else " " if one.isspace() else "" for one in text).strip()


def _format_onset(finding: Finding) -> str:
    return "" if finding.onset is None else f" at step {finding.onset:,.10g}"


def _takes_two(function: Callable[..., Any]) -> bool:
    """Whether a function asks for a second thing; one that cannot be looked at is given the finding alone."""
    try:
        asked = signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    placed = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in placed and one.default is Parameter.empty for one in asked) > 1
