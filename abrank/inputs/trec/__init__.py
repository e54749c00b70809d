"""TREC files: their lines read in words, at Arrow's speed or in blocks, and written back."""
