"""The measures themselves, one family a file."""
