"""What is the user's own: functions by their names, and processes that run them."""
