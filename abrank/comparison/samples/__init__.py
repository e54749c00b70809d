"""The kinds of samples that a test of B against A can use; callers need not know the kind."""
