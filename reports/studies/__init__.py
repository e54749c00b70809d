"""Studies of abrank itself: error rates by simulation, and benchmarks."""
