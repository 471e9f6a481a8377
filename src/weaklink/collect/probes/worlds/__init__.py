"""The problems of the ladder, one a file."""
