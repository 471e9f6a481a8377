"""TorchRL: environments, models, trainers, and trainings watched."""
