"""What is shown: plain data that the builders of show/subjects fill and the renderers of show/renderers write.

A document holds pages, one a run or a case; a page holds the loop, the findings and sections; a section holds blocks,
of which there are few kinds. Long rows of numbers travel as bytes (base64 in JSON, little-endian): axes as 64-bit
floats, because steps are counted into the hundreds of millions, everything else as 32-bit floats, NaN for a gap.

Every block says by `where` which renderers show it; empty means all of them. `short`, `narrow` and `listed` are hints
for renderers with little room, as a terminal is; the page of a browser shows everything.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import msgspec

from weaklink._version import __version__
from weaklink.show.triage import Triage

TERMINAL, MARKDOWN, HTML = "terminal", "markdown", "html"
TEXT = (TERMINAL, MARKDOWN)
SHORT, WHOLE = "short", "whole"  # the two views of a terminal: what to do now in a screenful, and all that is known
SCHEMA = 1


class ChartAxis(msgspec.Struct, frozen=True, kw_only=True):
    """What lines are drawn over; lines of several charts share it."""

    label: str
    values: bytes


class ChartLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One curve. `lows` and `highs` are the extremes behind each value where points were merged, or an interval."""

    name: str
    axis: str
    values: bytes
    lows: bytes = b""
    highs: bytes = b""
    dashed: bool = False


class ChartMark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A moment on the axis: where a finding begins, a restart, a checkpoint."""

    at: float
    label: str
    code: str = ""
    within: float = 0.0


class ChartLimit(msgspec.Struct, frozen=True, kw_only=True):
    """A level that findings name: values beyond it are ill."""

    at: float
    label: str


class ChartBand(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where healthy values lie; an end that is left out is open."""

    low: float | None = None
    high: float | None = None
    label: str = ""


class TitledBlock(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every block has: a title, a note below it, and the renderers that show it."""

    title: str
    note: str = ""
    where: tuple[str, ...] = ()


class Chart(TitledBlock, frozen=True, kw_only=True, omit_defaults=True, tag="chart", tag_field="kind"):
    """Curves over one axis, with what is known of them: onsets, limits, the healthy band. `link` is the link of the
    loop that it belongs to and `codes` the findings that it proves; `proves` says that it belongs beside them. A
    `minor` one is drawn small until it is asked for."""

    id: str
    lines: tuple[ChartLine, ...]
    unit: str = ""
    link: str = ""
    codes: tuple[str, ...] = ()
    proves: bool = False
    minor: bool = False
    logarithmic: bool = False
    marks: tuple[ChartMark, ...] = ()
    limits: tuple[ChartLimit, ...] = ()
    band: ChartBand | None = None


class HistogramBin(msgspec.Struct, frozen=True, kw_only=True):
    """How many lie from `low` to `high`; exactly there where the two are the same."""

    low: float
    high: float
    count: int


class Histogram(TitledBlock, frozen=True, kw_only=True, omit_defaults=True, tag="histogram", tag_field="kind"):
    """How often each value was seen."""

    bins: tuple[HistogramBin, ...]


class Box(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One group of numbers: extremes, quartiles, and the mean with its interval."""

    label: str
    low: float
    quarter: float
    middle: float
    three_quarters: float
    high: float
    mean: float
    mean_low: float
    mean_high: float
    note: str = ""


class Boxes(TitledBlock, frozen=True, kw_only=True, omit_defaults=True, tag="boxes", tag_field="kind"):
    """Groups of numbers side by side on one scale, such as the returns of the baselines."""

    rows: tuple[Box, ...]


class Strip(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One small curve with its label; `lows` and `highs` where several values were merged into one."""

    label: str
    values: tuple[float, ...]
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()
    note: str = ""


class Strips(TitledBlock, frozen=True, kw_only=True, omit_defaults=True, tag="strips", tag_field="kind"):
    """Many small curves below each other; `shared`: all on one scale, from 0 to the largest value of all."""

    rows: tuple[Strip, ...]
    shared: bool = False


class TableRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A row; `state` colours it: `clean`, `broken`, `consequence`, `unknown` or nothing. `shares` from 0 to 1 shade the
    last cells, one each."""

    cells: tuple[str, ...]
    shares: tuple[float, ...] = ()
    state: str = ""
    code: str = ""


class Table(TitledBlock, frozen=True, kw_only=True, omit_defaults=True, tag="table", tag_field="kind"):
    """Rows of words and numbers; `numeric` names the columns that are set to the right, `names` those that hold names
    of the user's, which are quoted as they are; `settings` are names and values of which others see what is harmless.
    Where there is little room, only the columns `narrow` and the first `short` rows are shown, where these are given;
    `listed` rows are read one by one, and their last cell may take several lines."""

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    numeric: tuple[int, ...] = ()
    names: tuple[int, ...] = ()
    narrow: tuple[int, ...] = ()
    short: int = 0
    listed: bool = False
    settings: bool = False


class QuotedText(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A text that somebody else wrote, with facts about it; `cut` counts the characters that were left out."""

    title: str
    body: str
    facts: tuple[tuple[str, str], ...] = ()
    cut: int = 0


class TextColumn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One column of texts, such as the best-paid completions."""

    title: str
    texts: tuple[QuotedText, ...]
    note: str = ""


class TextColumns(TitledBlock, frozen=True, kw_only=True, omit_defaults=True, tag="sides", tag_field="kind"):
    """Texts side by side; where there is little room, the first `short` of each side."""

    sides: tuple[TextColumn, ...]
    short: int = 0


class Prose(TitledBlock, frozen=True, kw_only=True, omit_defaults=True, tag="prose", tag_field="kind"):
    """Paragraphs; `code` is shown as it is, to be copied."""

    paragraphs: tuple[str, ...] = ()
    code: str = ""


class ShownItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One question of a checklist: `done`, `failed` or `open`, what told so, and what would tell."""

    name: str
    question: str
    state: str
    told: str = ""
    command: str = ""


class Checklist(TitledBlock, frozen=True, kw_only=True, omit_defaults=True, tag="checklist", tag_field="kind"):
    """Questions that evidence has ticked off, or not yet."""

    items: tuple[ShownItem, ...]


Block = Chart | Histogram | Boxes | Strips | Table | TextColumns | Prose | Checklist | Triage


class Section(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Blocks that belong together, under one heading; `folded` ones open when they are asked for, `closed` ones on a
    page alone. What `leads` stands before the findings. `view` is the only view of a terminal that shows it; empty
    means both."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    note: str = ""
    folded: bool = False
    closed: bool = False
    leads: bool = False
    where: tuple[str, ...] = ()
    view: str = ""


class ShownLink(msgspec.Struct, frozen=True, kw_only=True):
    """One link of the loop: `broken` (a break begins here), `consequence`, `clean`, or `unknown` (could not tell).
    `says` is the state in one sentence, `first` whether this is the link that broke first, `codes` its findings;
    `clean` and `blind` count its rules."""

    link: str
    state: str
    says: str
    first: bool = False
    codes: tuple[str, ...] = ()
    clean: int = 0
    blind: int = 0


class ShownProof(msgspec.Struct, frozen=True, kw_only=True):
    """One number of the evidence, in words, and the chart that shows it."""

    metric: str
    measured: str
    chart: str = ""


class ShownFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding as people read it. `about` is the first lines of the rule's page, `command` one to copy."""

    code: str
    name: str
    link: str
    level: str
    message: str
    since: str
    confidence: str
    proofs: tuple[ShownProof, ...] = ()
    fix: tuple[str, ...] = ()
    verify: str = ""
    command: str = ""
    about: str = ""
    consequence_of: str = ""
    role: str = "break"  # or `first`, `consequence`, `info`


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One run, environment, trainer, set of samples or case.

    `says` is the answer as a person would say it. `word` stands for the verdict, such as `confirmed`; a headline that
    begins with it says it once. The first `brief` facts are shown where there is little room. `next` is the command or
    the step to take where no finding names one.
    """

    id: str
    title: str
    command: str
    verdict: str
    headline: str
    facts: tuple[tuple[str, str], ...] = ()
    loop: tuple[ShownLink, ...] = ()
    findings: tuple[ShownFinding, ...] = ()
    sections: tuple[Section, ...] = ()
    advice: tuple[str, ...] = ()
    axes: dict[str, ChartAxis] = {}
    growing: bool = False
    says: str = ""
    word: str = ""
    brief: int | None = None
    next: str = ""

    @property
    def answer(self) -> tuple[str, str]:
        """The verdict in one word, and the headline without it."""
        return (self.word or self.verdict).upper(), self.headline.removeprefix(f"{self.word}: ")


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """All that a file or a live page shows: pages, and what they show together."""

    weaklink: str
    schema: int
    made: str
    title: str
    pages: tuple[Page, ...]
    together: tuple[Section, ...] = ()
    axes: dict[str, ChartAxis] = {}
    live: bool = False


def bind_pages(
    pages: Sequence[Page],
    *,
    title: str = "",
    together: Sequence[Section] = (),
    axes: Mapping[str, ChartAxis] | None = None,
    live: bool = False,
) -> Document:
    """All that a file or a live page shows.

    Args:
        pages: one a run, environment, trainer or case.
        title: by itself that of the only page.
        together: what is said of several pages at once.
        axes: those of the charts in `together`.
        live: whether more is to come.
    """
    return Document(
        weaklink=__version__,
        schema=SCHEMA,
        made=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        title=title or (pages[0].title if len(pages) == 1 else f"{len(pages)} runs"),
        pages=tuple(pages),
        together=tuple(together),
        axes=dict(axes or {}),
        live=live,
    )
