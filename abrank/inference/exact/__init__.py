"""Distributions computed, not sampled: of sign flips, of subset means, of a mean's bootstrap."""
