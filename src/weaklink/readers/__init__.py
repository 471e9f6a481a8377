"""Logs of any known format to runs: one format a file, each sniffing its own."""
