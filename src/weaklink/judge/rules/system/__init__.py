"""Faults in the system: throughput, memory, accelerators."""
