"""Type I error, coverage and power of every test and interval, by simulation.

``python -m reports.studies.calibration`` draws samples of queries from populations in which
the truth is known, asks every test, and writes how often it was wrong: a table, a figure and a
page.
"""
