"""Sizes, shapes and stability of a difference: what is estimated beside the test."""
