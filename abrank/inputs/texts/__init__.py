"""Texts of queries and documents, and the segments that properties of queries make."""
