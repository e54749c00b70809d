"""The plots of many systems, one a file."""
