"""How many systems on several collections are reported."""
