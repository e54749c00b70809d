"""What can answer a test of B against A, one file a kind. Nothing above asks which it is."""
