from __future__ import annotations

from weaklink.base.evidence.outcome import Outcome, Rung
from weaklink.judge.rules.probe._failures import failing
from weaklink.judge.rules.writing import Answer, Level, Link, rule


@rule("PRB122", link=Link.ENVIRONMENT, level=Level.ERROR, on=Outcome)
def environment_ignored(outcome: Outcome) -> Answer:
    """The training finishes without ever making the environment that it was given.

    ## What it sees
    A command was given the id of a probe environment and exited with code 0, and no process that it started made an
    environment of this id.

    ## Why it is bad
    The script trains on something else. A comparison of environments with it only compares seeds.

    ## What to do
    1. Follow the id from the argument to `gymnasium.make`: an argument that is read and not used, a default that
       overrides it, a configuration file that wins over the command line.
    2. Look at wrappers and factories that make their own environment.
    3. Check that the command passes `{env}` under the name that the script reads.

    ## How to prove it
    `weaklink probe --cmd "..." --only constant-reward` after the change must be able to judge this rung.

    ## When it is wrong
    A script that clears the environment variables of the processes it starts, or that trains on another machine, makes
    the environment where weaklink cannot see it.

    ## References
    Practice.
    """
    return failing(outcome, ("ignored",), lambda rung, _: _describe(rung))


def _describe(rung: Rung) -> str:
    return f"The training was given {rung.environment} and finished without ever making it"
