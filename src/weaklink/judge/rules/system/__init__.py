"""Illnesses of the system: throughput, memory, accelerators."""
