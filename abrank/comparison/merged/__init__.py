"""A comparison from what partitions add up: the scores of queries stay on the workers."""
