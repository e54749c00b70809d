"""Reading results.json."""
