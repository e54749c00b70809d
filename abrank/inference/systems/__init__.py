"""Tests over the whole block of queries and systems, and the letters that follow from them."""

from abrank.inference.systems import friedman, pairwise, randomized_tukey, tukey  # noqa: F401 - register
