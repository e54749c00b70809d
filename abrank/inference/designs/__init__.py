"""Other questions than one test of one mean: margins, clusters, looks, collections, beliefs."""
