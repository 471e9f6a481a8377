"""Which link broke first: rules asked, findings put in order, consequences folded under their cause."""
