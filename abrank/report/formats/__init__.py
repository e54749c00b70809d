"""The formats of reports, one per file."""
