"""Files in other formats than TREC's, read into the same columns."""
