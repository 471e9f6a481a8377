"""Many runs at once: judged side by side, kept so that the next time is fast, and written as a table."""
