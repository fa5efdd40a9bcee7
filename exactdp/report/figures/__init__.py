"""The figures of the report: one module for each, the style they share, and their data as exact tables."""
