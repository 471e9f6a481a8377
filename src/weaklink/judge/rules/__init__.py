"""What it means: one folder a family, one fault a file."""
