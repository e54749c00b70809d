"""The sentences of reports, section by section."""
