"""Ready scores of other programs, in all the forms in which they come, to columns."""
