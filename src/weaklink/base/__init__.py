"""What everything else is written in: the loop, findings, evidence, statistics and right answers."""
