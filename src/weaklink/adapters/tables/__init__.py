"""Tables for other programs: Parquet by pyarrow, questions in SQL by DuckDB."""
