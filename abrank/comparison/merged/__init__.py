"""A comparison from merged statistics: the scores of queries stay on the workers."""
