"""What it means: one folder a family, one illness a file."""
