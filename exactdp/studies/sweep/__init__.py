"""Sweeps: a grid of questions answered into a file of SQLite, on one machine or many, stopped and resumed at will.

``sweep_spec`` reads the grid and ``sweep_question`` writes each question down; ``sweep_answers`` answers one and
certifies the answer; ``sweep_store`` keeps them, and hands
questions to processes.
"""
