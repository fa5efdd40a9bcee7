"""Grids of questions: calibration, the survey, sweeps, and the search for counterexamples."""
