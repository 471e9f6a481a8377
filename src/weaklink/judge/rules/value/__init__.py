"""Faults in the value estimate: critic, Q values, their targets."""
