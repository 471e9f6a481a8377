"""Ray: a function called many times on the machines of a cluster."""
