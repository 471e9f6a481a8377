from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, Rung
from weaklink.base.finding import Answer, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.probe._failures import failing


@rule("PRB122", link=Link.ENVIRONMENT, level=Level.ERROR, on=Outcome)
def environment_ignored(outcome: Outcome) -> Answer:
    """The training ends well without ever making the environment that it was told to use.

    ## What it sees
    A command was given the id of a probe environment and ended with code 0, and no environment of this id was made in
    any process that it started.

    ## Why it is bad
    The script trains on something else. Whoever starts it with another id believes to compare environments and
    compares seeds.

    ## What to do
    1. Follow the id from the argument to `gymnasium.make`: an argument that is read and not used, a default that
       overrides it, a configuration file that wins over the command line.
    2. Look at wrappers and factories that make an environment of their own.
    3. See that the command passes `{env}` under the name that the script reads.

    ## How to prove it
    `weaklink probe --cmd "..." --only constant-reward` after the change must be able to judge the rung.

    ## When it is wrong
    A script that clears the environment variables of the processes it starts, or that trains on another machine, makes
    the environment where it cannot be seen.

    ## References
    Practice.
    """
    return failing(outcome, ("ignored",), lambda rung, _: _told(rung))


def _told(rung: Rung) -> str:
    return f"The training was told to use {rung.environment} and ended without ever making it"
