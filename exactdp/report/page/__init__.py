"""The report: one self-contained HTML file with the ledger, the protocols and their numbers, and the figures.

:mod:`~exactdp.report.page.html` puts the parts together; nothing in the file is fetched, and equal outcomes make equal
bytes. report.html.jinja is its structure, report.css its look, report.js what a reader can do with it: search, filter,
and open certificates. Without that script everything is there to read.
"""
