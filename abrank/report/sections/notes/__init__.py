"""The notes to read before acting: which are shown, and the words of each."""
