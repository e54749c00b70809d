"""Designs beyond one test of one mean: margins, clusters, looks, collections, posteriors."""
