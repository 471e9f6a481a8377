"""A live training, watched: recorded, measured, judged, and stopped before it is ruined."""
