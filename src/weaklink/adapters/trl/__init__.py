"""TRL: trainings of language models watched."""
