"""Objects of other libraries, read into the same columns as files."""
