"""Shared by all packages: errors, checks, registries, random streams, types, lazy imports."""

__version__ = "0.1.0"  # the package's metadata is read from here
