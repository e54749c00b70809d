"""What a terminal shows: results as plain text of at most 80 columns."""
