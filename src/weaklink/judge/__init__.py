"""Evidence to findings, and findings to the first break."""
