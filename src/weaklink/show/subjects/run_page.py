"""What only the page of a run shows: distributions, checklists and how the run was made."""

from __future__ import annotations

import shlex

import msgspec

from weaklink.base.evidence.run import Run
from weaklink.judge.diagnosis.checklists_training import check_after_training, check_during_training
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show.document import HTML, Section
from weaklink.show.subjects.coverage import show_checklist, show_context
from weaklink.show.subjects.curves import RunCurves
from weaklink.show.subjects.distributions import draw_distributions


def show_page_only(run: Run, diagnosis: Diagnosis, drawn: RunCurves, *, brief: bool, growing: bool) -> list[Section]:
    """The sections that no other renderer shows; a terminal is spared the time to make them.

    Args:
        run: what was logged.
        diagnosis: what is wrong with it.
        drawn: the curves of the page.
        brief: whether many runs share the document, which leaves no room for checklists.
        growing: whether the run is still being written.
    """
    checklists = [] if brief else _show_checklists(run, diagnosis, growing=growing)
    return [*draw_distributions(run, drawn.axes, drawn.points), *checklists, *show_context(run.config, run.context)]


def _show_checklists(run: Run, diagnosis: Diagnosis, *, growing: bool) -> list[Section]:
    """What to know while it runs, and once it has ended."""
    environment = shlex.quote(str(run.config.values.get("environment", ""))) if "environment" in run.config else "ENV"
    asked = {"During training": check_during_training(run, diagnosis)}
    if not growing:
        asked["After training"] = check_after_training(run, diagnosis, environment)
    made = (
        show_checklist(title, items, section=f"checklist-{title.split()[0].lower()}", folded=True)
        for title, items in asked.items()
    )
    return [msgspec.structs.replace(section, where=(HTML,)) for sections in made for section in sections]
