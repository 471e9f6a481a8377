from __future__ import annotations

from tests.rules.probe.climbs import climb, every_other_failure, learned, lost, rung
from weaklink.judge.rules._registry import find_rule

INTERRUPTED = """Traceback (most recent call last):
  File "train.py", line 9, in collect
    queue.get()
  File "/usr/lib/python3.12/queue.py", line 171, in get
    self.not_empty.wait()
KeyboardInterrupt
"""


def hung(taken: int, printed: str = ""):
    return lost("hung", f"no end within 300 seconds; {taken:,} of 3,000 steps were made", taken=taken, printed=printed)


def sick():
    return [
        climb(rung(hung(12, INTERRUPTED), hung(12))),
        climb(rung(hung(5_000_000))),
        climb(
            rung(learned()),
            rung(learned(), lost("hung", "no end within 300 seconds"), problem="TwoActions"),
            rung(hung(7), problem="MatchingAction"),
        ),
    ]


def healthy():
    return every_other_failure("hung")


def test_says_how_far_it_came_and_where_it_was():
    assert find_rule("PRB121").ask(sick()[0]).message == (
        "The training on weaklink/ConstantReward-v0 did not finish: no end within 300 seconds; 12 of 3,000 "
        "steps were made (train.py:9 in collect), in 2 of 2 trainings."
    )


def test_names_the_first_rung_and_counts_the_others():
    answer = find_rule("PRB121").ask(sick()[2])
    assert "weaklink/TwoActions-v0" in answer.message
    assert answer.message.endswith("in 1 of 2 trainings, and on 1 more rung.")
