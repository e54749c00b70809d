"""Time and memory beside the peers: cold processes, interleaved, medians of rounds.

``python -m reports.studies.benchmark`` makes the inputs, runs abrank and every peer that is
installed, and writes a table and a figure. Ratios come first: seconds belong to a machine.
"""
