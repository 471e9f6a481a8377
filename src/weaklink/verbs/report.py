"""`report`: what is known of runs, or of a case that was debugged before."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weaklink.base.errors import UsageError
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.debug.case import Case
from weaklink.verbs.debug.debugging import read_case
from weaklink.verbs.debug.folder import INDEX
from weaklink.verbs.diagnose import Diagnosed, DiagnoseOptions, Tell, diagnose
from weaklink.verbs.targets import Around


class ReportOptions(msgspec.Struct, frozen=True, kw_only=True):
    """`paths` hold logs, or one is the folder of a case; `output` is a file that will be written."""

    paths: tuple[str, ...]
    settings: RuleSettings = RuleSettings()
    names: dict[str, str] = {}
    output: str = ""


def report(options: ReportOptions, tell: Tell | None = None, around: Around | None = None) -> Case | Diagnosed:
    """Judges what the paths hold; a case is judged again from its evidence.

    Args:
        options: what to report on.
        tell: told each run as soon as it is judged.
        around: passes on what holds runs, one by one.

    Raises:
        UsageError: nothing is named, or something beside a case.
    """
    paths = options.paths
    if not paths:
        raise UsageError("Name what to report on: a log, a run folder, a recording, or the folder of a case.")
    cases = [path for path in paths if (Path(path) / INDEX).is_file()]
    if cases and len(paths) > 1:
        raise UsageError(f"{cases[0]} is the folder of a case, which is reported on alone: name nothing beside it.")
    if cases:
        return read_case(cases[0])
    wanted = DiagnoseOptions(paths=paths, settings=options.settings, names=options.names, output=options.output)
    return diagnose(wanted, tell, around)
