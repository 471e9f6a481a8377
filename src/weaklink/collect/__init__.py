"""Things to evidence: files, environments, trainers, samples and live trainings; knows no rule."""
