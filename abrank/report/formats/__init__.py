"""How a report is written: one format a file."""
