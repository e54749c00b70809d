"""The report of many systems: its words and its formats."""
