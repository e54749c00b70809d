"""Tests of the paired difference of two systems, a column a comparison."""
