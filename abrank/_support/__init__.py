"""Shared by all packages: errors, checks, the registry, random streams, types, late binding."""

__version__ = "0.1.0"  # the package's metadata is read from here
