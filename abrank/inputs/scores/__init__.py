"""Ready scores of other programs, in any of their forms, read into columns."""
