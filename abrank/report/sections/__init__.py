"""What a report says: its sentences, section by section."""
