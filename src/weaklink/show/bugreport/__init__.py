"""A text to paste into an issue: what maintainers always ask for, filled in, with paths and secrets left out."""
