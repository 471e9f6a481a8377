"""Stable-Baselines3, sb3-contrib and sbx: environments, models, trainers, and trainings watched."""
