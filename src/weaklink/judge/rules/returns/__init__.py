"""Illnesses of the returns: discounting, advantages, value targets."""
