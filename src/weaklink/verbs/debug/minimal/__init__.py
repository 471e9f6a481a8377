"""The emergency procedure: the smallest agent, the easiest version of the task, each part of the reward alone."""
