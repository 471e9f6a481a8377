"""`weaklink skill`: how a coding agent uses weaklink well."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

NAME = "SKILL.md"


def find_skill_file() -> Path:
    """Where the file lies: in the package once it is installed, at the top of the sources before that."""
    from weaklink.base.errors import UsageError

    package = Path(__file__).parents[1]
    for folder in (package, package.parents[1]):
        if (folder / NAME).is_file():
            return folder / NAME
    raise UsageError(f"{NAME} is neither in {package} nor beside the sources: install weaklink anew.")


def skill(
    where: Annotated[bool, typer.Option("--where", help="Show only where the file lies, to copy or link it.")] = False,
) -> None:
    """Shows how a coding agent should use weaklink: the text of SKILL.md."""
    from weaklink.cli.output import OutputStream

    OutputStream("", document=True).write(
        f"{find_skill_file()}\n" if where else find_skill_file().read_text(encoding="utf-8")
    )
