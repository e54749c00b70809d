"""What the definitions share: sums over segments, gains, rates."""
