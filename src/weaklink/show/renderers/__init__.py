"""Pages for a terminal, as Markdown, HTML and JSON: a renderer knows blocks and no subject."""
