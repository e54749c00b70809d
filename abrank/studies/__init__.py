"""Studies of abrank itself: how often it is wrong, and how long it takes."""
