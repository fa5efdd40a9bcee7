"""The survey, measured: every protocol of the package for the same task, at the same (eps, delta).

For bit sums, bounded sums and histograms: what each protocol sends, how private it really is, and the least error that
the worst data set exceeds with probability beta at most; with the noise of its theorem, and with the least that is
enough. Over many numbers of users, where one protocol becomes better than another, and what the survey's printed table
of orders says against it.
"""
