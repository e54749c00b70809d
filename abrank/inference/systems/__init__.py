"""Tests over the whole block of queries and systems, and the letters that follow from them."""
