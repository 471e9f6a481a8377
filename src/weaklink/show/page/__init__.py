"""The page that people look at: what is on it (blocks), how evidence becomes it, and the file that it is."""
