"""The parts of the study beside the tests of one mean: one file a part, listed in the catalogue."""
