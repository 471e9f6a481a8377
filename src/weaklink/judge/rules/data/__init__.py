"""Faults in the data: buffers, pairing, freshness, recurrent state."""
