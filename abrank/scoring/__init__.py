"""Scores: read, or computed from runs and judgments, with their uncertainty."""
