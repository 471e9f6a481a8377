"""Right answers to compare with, in plain numpy: what a computation must give if it is done as the papers say."""
