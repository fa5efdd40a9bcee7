"""Exact privacy of shuffled views: the outcomes of pairs of data sets, listed or streamed."""
