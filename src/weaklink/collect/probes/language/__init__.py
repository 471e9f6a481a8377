"""Probes of trainers of language models: tiny problems on tokens whose right answers are known."""
