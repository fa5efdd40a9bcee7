"""Pictures of what the package computes; a float here is for the eye, and every band is rounded outward.

Each figure is two functions. One computes its data, exactly: fractions and intervals, which a test can compare with
another computation and :func:`exactdp.report.figures.data.write_data` writes down. The other, ``draw_...``, turns them
into a file. :mod:`exactdp.report.figures.gallery` lists the figures of the report, by name.
"""
