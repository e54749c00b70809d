"""How two systems on several collections are reported."""
