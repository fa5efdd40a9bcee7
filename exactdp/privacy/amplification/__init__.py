"""Amplification by shuffling: both ends of a bracket, and the published bounds."""
