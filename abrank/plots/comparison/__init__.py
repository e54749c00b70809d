"""The plots of one comparison, one a file."""
