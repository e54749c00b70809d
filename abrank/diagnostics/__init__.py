"""Cautions on a comparison, as codes and numbers; the report has their sentences."""

from abrank.diagnostics.notes import Note

__all__ = ["Note"]
