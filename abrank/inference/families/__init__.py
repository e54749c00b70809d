"""Several hypotheses at once: max-T by shared sign flips, and adjusted p-values."""
