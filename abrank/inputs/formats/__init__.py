"""Files in other forms than TREC's, to the same columns."""
