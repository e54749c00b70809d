"""Judgments by a machine beside those of people, and the verdict of both together."""
