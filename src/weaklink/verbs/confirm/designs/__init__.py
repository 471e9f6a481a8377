"""How findings are proven: one design a file, each for the codes that it fits."""
