"""Scores: read, or made from runs and judgments, with how far they could move."""
