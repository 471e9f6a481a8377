"""The whole procedure on one project: what is looked at, stage by stage, and the folder in which all of it is kept."""
