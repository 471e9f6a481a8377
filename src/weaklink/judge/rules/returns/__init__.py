"""Faults in the returns: discounting, advantages, value targets."""
