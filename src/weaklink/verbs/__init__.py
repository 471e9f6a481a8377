"""What weaklink does: one verb a file, or a folder where it is a procedure of its own."""
