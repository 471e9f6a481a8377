"""What is said of each subject, written once: `build` makes its page, `record` its JSON."""
