"""A diagnosis made visible: on a terminal, as JSON, as Markdown. A view shows what it is given."""
