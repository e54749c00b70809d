"""What a measure is, its parameters, and the registry that lists all of them."""
