"""What every room stands on: errors, checks, the registry, random streams, types, late binding."""
