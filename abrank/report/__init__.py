"""Reports: what a comparison says, in words, and the formats it is written in."""
