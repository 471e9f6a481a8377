"""Object stores (s3://, gs:// and what else fsspec knows): copied to this machine, and read here."""
