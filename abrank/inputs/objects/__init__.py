"""What libraries hold in memory, to the same columns that files give."""
