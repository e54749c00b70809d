"""TREC files: their lines read by Arrow, one by one or in blocks, and written back."""
