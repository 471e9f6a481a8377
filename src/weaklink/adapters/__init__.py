"""One framework a folder: the only rooms that import it, each loaded when a thing of its kind is met."""
