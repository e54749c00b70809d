"""How far ties and unjudged documents could move a score, and the ideal ranking."""
