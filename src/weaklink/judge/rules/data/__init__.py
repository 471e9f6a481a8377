"""Illnesses of the data: buffers, pairing, freshness, recurrent state."""
