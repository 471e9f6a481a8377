"""The stages of the procedure, one a file: what each looks at, and what it says of what was seen."""
