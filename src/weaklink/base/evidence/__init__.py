"""What was seen: the vocabulary of metrics, runs, hyper-parameters and the recording on disk."""
