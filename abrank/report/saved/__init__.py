"""results.json: written, and read back."""
