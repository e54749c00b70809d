"""Shared by all packages: errors, checks, the registry, random streams, types, late binding."""
