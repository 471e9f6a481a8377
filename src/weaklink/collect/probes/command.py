"""A command with places to fill in, such as `python train.py --env-id {env} --steps {steps} --seed {seed}`."""

from __future__ import annotations

import re
import shlex
import shutil
import sys

from weaklink.base.errors import UsageError

ENVIRONMENT, STEPS, SEED, GAMMA, OUT, WARMUP = PLACES = ("env", "steps", "seed", "gamma", "out", "warmup")
"""What can stand in braces: the id, how long to train, the seed, the discount, a folder for what is written, and how
many steps with random actions come first."""

EXAMPLE = 'weaklink probe --cmd "python train.py --env-id {env} --total-timesteps {steps} --seed {seed}"'
SHELL = frozenset(("&&", "||", "|", ";", "&", ">", ">>", "<", "2>&1"))
_PLACE = re.compile(r"\{([A-Za-z_]+)\}")


class Command:
    """The words of a command; no shell reads them."""

    def __init__(self, template: str, *, names_environment: bool = True) -> None:
        """Splits it.

        Args:
            template: the command.
            names_environment: whether it must hold `{env}`.

        Raises:
            UsageError: it cannot be used.
        """
        try:
            self._words = shlex.split(template)
        except ValueError as error:
            raise UsageError(f"The command is not a list of words ({error}): {template}. Check its quotes.") from None
        self._places = set(_PLACE.findall(template))
        self._check(template, names_environment)

    def _check(self, template: str, names_environment: bool) -> None:
        if not self._words:
            raise UsageError(f"The command is empty. An example: {EXAMPLE}.")
        unknown = sorted(self._places - set(PLACES))
        if unknown:
            known = ", ".join(f"{{{place}}}" for place in PLACES)
            raise UsageError(f"The command holds {{{unknown[0]}}}, and only {known} can be filled in: {template}.")
        if names_environment and ENVIRONMENT not in self._places:
            raise UsageError(
                f"The command holds no {{env}}, the place for an environment's id: {template}. An example: {EXAMPLE}."
            )
        joined = sorted(SHELL & set(self._words))
        if joined:
            raise UsageError(
                f"No shell reads the command, so '{joined[0]}' means nothing in it: {template}. "
                "Put the commands into a file, or write sh -c '...' around them."
            )
        if shutil.which(self._words[0]) is None:
            raise UsageError(
                f"The command cannot be started: there is no program '{self._words[0]}'. "
                f"Give its path; the Python that runs weaklink is {sys.executable}."
            )

    def takes(self, place: str) -> bool:
        """Whether the command has this place."""
        return place in self._places

    def filled(self, values: dict[str, str]) -> list[str]:
        """The words with values in their places."""
        return [_PLACE.sub(lambda found: values[found.group(1)], word) for word in self._words]
